/** What the first rows do not need, and the page of an event, as one file. */
export { default as Event } from './event/event.js'
export { BulkVote } from './events/bulk.js'
export { ColumnsMenu } from './events/columns-menu.js'
export { ExportMenu } from './events/export-menu.js'
export { Facets } from './events/facets.js'
export { Nothing } from './events/nothing.js'
export { mistakeIn } from './events/query.js'
export { Views } from './events/views.js'

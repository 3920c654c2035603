/** The tag of the console's operations in the OpenAPI document. */
export const tag = 'Console'

/** A table of rows. Columns of numbers are aligned to the right. On a phone each row is a card. */
import type { ComponentChildren } from 'preact'

interface Column {
  readonly text: string
  readonly isNumber?: boolean
}

interface TableProps {
  readonly columns: readonly Column[]
  readonly rows: readonly { readonly key: string; readonly cells: readonly ComponentChildren[] }[]
}

export function Table({ columns, rows }: TableProps) {
  const classOf = (at: number): string => (columns[at]?.isNumber === true ? 'number' : 'bidi')
  return (
    <div class="table-wrap">
      <table class="rows">
        <thead>
          <tr>
            {columns.map(({ text }, at) => (
              <th key={text} class={classOf(at)}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, at) => (
                <td key={columns[at]?.text ?? ''} class={classOf(at)} data-head={columns[at]?.text ?? ''}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

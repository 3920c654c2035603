/**
 * A JSON document as a tree: a line for each value, with its path to copy, a filter by its value, and the way to make
 * it a decision point.
 *
 * 1. Everything is text. Long texts and long lists are cut until they are asked for, so that one event of a megabyte
 *    opens at once.
 */
import { useSignal } from '@preact/signals'
import { t } from '../texts.js'
import { plainText } from '../state/events.js'
import { say } from '../state/toasts.js'
import { Icon } from './icon.js'

const TEXT_SHOWN = 400
const ITEMS_SHOWN = 100
/** Objects open so deep by themselves. */
const OPEN_DEPTH = 2

interface NodeProps {
  readonly name: string
  readonly path: string
  readonly value: unknown
  readonly depth: number
  readonly filter: ((path: string, value: string | number | boolean) => void) | null
  /** Makes the field a decision point; null where the person may not. */
  readonly point: ((path: string) => void) | null
  /** The fields that are decision points. */
  readonly points: readonly string[]
}

async function copy(path: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(path)
    say(t('tree.copied', { path }))
  } catch {
    say(t('tree.not_copied', { path }))
  }
}

function isLeaf(value: unknown): value is string | number | boolean | null | undefined {
  return typeof value !== 'object' || value === null
}

/** A value, or a list of values: what can decide. */
function holdsValues(value: unknown): boolean {
  return isLeaf(value) || (Array.isArray(value) && value.every(isLeaf))
}

function entriesOf(value: object): [string, unknown][] {
  return Array.isArray(value) ? value.map((item, at) => [String(at), item]) : Object.entries(value)
}

/** The path of a member: items of a list are found under the path of the list. */
function pathOf(parent: string, name: string, isItem: boolean): string {
  return isItem ? parent : parent === '' ? name : `${parent}.${name}`
}

function Text({ value }: { readonly value: string }) {
  const isOpen = useSignal(false)
  const isLong = value.length > TEXT_SHOWN
  return (
    <>
      <span class="tree-value">{plainText(isLong && !isOpen.value ? value.slice(0, TEXT_SHOWN) : value)}</span>
      {isLong ? (
        <button type="button" class="plain toggle" onClick={() => (isOpen.value = !isOpen.value)}>
          {isOpen.value ? t('less') : t('tree.more_text', { n: value.length - TEXT_SHOWN })}
        </button>
      ) : null}
    </>
  )
}

function Tools({ path, value, filter, point, points }: Omit<NodeProps, 'name' | 'depth'>) {
  if (path === '') return null
  const isPoint = points.includes(path)
  return (
    <span class="tools">
      <button
        type="button"
        class="plain icon-only"
        title={t('tree.copy')}
        aria-label={`${t('tree.copy')}: ${path}`}
        onClick={() => void copy(path)}
      >
        <Icon name="copy" />
      </button>
      {filter === null || !isLeaf(value) || value == null ? null : (
        <button
          type="button"
          class="plain icon-only"
          title={t('tree.filter')}
          aria-label={`${t('tree.filter')}: ${path}`}
          onClick={() => filter(path, value)}
        >
          <Icon name="filter" />
        </button>
      )}
      {point === null || isPoint || !holdsValues(value) ? null : (
        <button
          type="button"
          class="plain icon-only"
          title={t('tree.point')}
          aria-label={`${t('tree.point')}: ${path}`}
          onClick={() => point(path)}
        >
          <Icon name="plus" />
        </button>
      )}
    </span>
  )
}

function Branch(props: NodeProps & { readonly value: object }) {
  const { path, value, depth } = props
  const shown = useSignal(ITEMS_SHOWN)
  const entries = entriesOf(value)
  const isList = Array.isArray(value)
  return (
    <ul>
      {entries.slice(0, shown.value).map(([name, member]) => (
        <Node key={name} {...props} name={name} path={pathOf(path, name, isList)} value={member} depth={depth + 1} />
      ))}
      {entries.length > shown.value ? (
        <li>
          <button type="button" class="plain" onClick={() => (shown.value += 10 * ITEMS_SHOWN)}>
            {t('tree.more_items', { n: entries.length - shown.value })}
          </button>
        </li>
      ) : null}
    </ul>
  )
}

function Node(props: NodeProps) {
  const { name, value, depth } = props
  const isOpen = useSignal(depth < OPEN_DEPTH)
  if (isLeaf(value))
    return (
      <li class="tree-line">
        <span class="tree-name bidi">{plainText(name)}</span>
        <Text value={typeof value === 'string' ? value : String(value)} />
        <Tools {...props} />
      </li>
    )
  const size = Object.keys(value as object).length
  return (
    <li>
      <div class="tree-line">
        <button
          type="button"
          class="plain toggle"
          aria-expanded={isOpen.value}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          <Icon name={isOpen.value ? 'chevron-down' : 'chevron-right'} />
          <span class="tree-name bidi">{plainText(name)}</span>
          <span class="dim">{Array.isArray(value) ? `[${size}]` : `{${size}}`}</span>
        </button>
        <Tools {...props} />
      </div>
      {isOpen.value ? <Branch {...props} value={value as object} /> : null}
    </li>
  )
}

type TreeProps = Pick<NodeProps, 'filter' | 'point' | 'points'> & { readonly value: object }

/** The tree of an object. `filter` is called with a path and the value there, `point` with the path. */
export function Tree(props: TreeProps) {
  return (
    <div class="tree">
      <Branch {...props} name="" path="" depth={0} />
    </div>
  )
}

/**
 * The answers and the id that events of a file have: old alerts with what people said of them.
 *
 * Owns: which field has the answers and which the id, by name and values, and which label a value is. Leaves out: what
 * events are (event-file.ts), the words of a job's labels (domain/job/labels.ts).
 *
 * 1. Browsers and the command line run this, so a column means the same to both.
 * 2. Only the last name of a path counts: `labels.severity` is no answer, `alert.verdict` is one.
 */
import { isJsonObject, WrittenNumber } from '../json.js'
import { valueAt } from '../path.js'

export { valueAt }

/** A field of a sample, as far as it matters here. */
export interface NamedField {
  readonly name: string
  /** Events that have a value. */
  readonly events: number
  /** Its values as texts. */
  readonly values: { readonly size: number; keys(): Iterable<string> }
}

/** More values than these are no answers. */
export const ANSWER_VALUES_MAX = 20

/** Words of a name, in small letters: split at capitals and at what is no letter or digit. */
function wordsOf(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')
    .join(' ')
}

/** A pattern for one of these texts, which blanks separate; `_` is a blank in them. */
function oneOf(texts: string): string {
  return `(${texts.trim().split(/\s+/).join('|').replaceAll('_', ' ')})`
}

const STATES = oneOf(
  `malicious attack fraud fraudulent incident threat tp fp true false benign anomaly anomalous spam suspicious
   compromised? escalated intrusion phishing`,
)
const BY_WHOM = oneOf('triage investigation analyst final case soc human')
const SAID = oneOf('outcome decision result severity status class answer')
const NO_ANSWERS = oneOf('time date at notes? minutes seconds hours')

/** How fields with answers are named, the surest first. They are matched with the words of a name. */
const ANSWER_NAMES: readonly RegExp[] = [
  /\b(verdict|disposition|determination|adjudication)\b|ground ?truth|(true|false) positive|^(tp|fp)$/,
  new RegExp(`^(is|was) (an? )?${STATES}\\b`),
  /^(labels?|label name|class label|answers?|target|feedback)$|\b(event|alert|true|final|analyst|human|attack) label$/,
  new RegExp(`\\bclassification\\b|fault severity|\\b${BY_WHOM} ${SAID}\\b`),
  new RegExp(`\\bresolution\\b(?! ${NO_ANSWERS})|\\b(clos(ed?|ing|ure)) (reason|code|class|as)\\b|\\broot cause\\b`),
  /^(malicious|fraud|attack|anomaly|escalated|class|decision|triage)$/,
]

/** Answers that say what they are, whatever their field is called. */
const ANSWERS = /^(benign )?(true|false) (positive|alarm)\b|^benign positive$|^(tp|fp|btp)$|^not an? (issue|incident)$/

function lastOf(name: string): string {
  return wordsOf(name.slice(name.lastIndexOf('.') + 1))
}

/** How sure it is that a field has answers, 0 the surest; null: it is none. */
function answerRank({ name, values: given }: NamedField): number | null {
  if (given.size < 2 || given.size > ANSWER_VALUES_MAX) return null
  const values = [...given.keys()]
  if (values.some((value) => value.startsWith('['))) return null
  const words = lastOf(name)
  const named = ANSWER_NAMES.findIndex((pattern) => pattern.test(words))
  if (named >= 0) return named
  return values.filter((value) => ANSWERS.test(wordsOf(value))).length >= 2 ? 0 : null
}

/** The fields that have answers, the surest first, and of those the one that most events have. */
export function answerFields(fields: readonly NamedField[]): string[] {
  const found = fields.flatMap((field) => {
    const rank = answerRank(field)
    return rank === null ? [] : [{ name: field.name, rank, events: field.events }]
  })
  return found.sort((a, b) => a.rank - b.rank || b.events - a.events).map(({ name }) => name)
}

const WHOSE = oneOf(
  'alert event incident detection finding case ticket offense notable record log document doc row line external',
)
const ID_WORD = '(id|uuid|guid|uid)'
/** How ids of events are named, the surest first. They are matched with the words of the whole path. */
const ID_NAMES: readonly RegExp[] = [
  new RegExp(`(^|\\b)${WHOSE} (${ID_WORD}|key|number|no|nr)$`),
  new RegExp(`^${ID_WORD}$`),
  new RegExp(`\\b${ID_WORD}$`),
]
/** Below these, two users may have an event each by chance. */
const IDS_MIN = 20

/** The field that has the id of an event: each event has one, and no two the same. */
export function idField(fields: readonly NamedField[], events: number): string | null {
  const found = fields.flatMap((field) => {
    if (field.events !== events || field.values.size !== events || events < 2) return []
    const rank = ID_NAMES.findIndex((pattern) => pattern.test(wordsOf(field.name)))
    return rank < 0 || (rank === 2 && events < IDS_MIN) ? [] : [{ name: field.name, rank }]
  })
  return found.sort((a, b) => a.rank - b.rank)[0]?.name ?? null
}

/** The id of an event; null: it has none there. */
export function idAt(event: unknown, path: string): string | null {
  const id = valueAt(event, path)
  const isNumber = typeof id === 'number' || id instanceof WrittenNumber
  return (typeof id === 'string' && id !== '') || isNumber ? String(id) : null
}

/** The answer of an event as a text; null: it has none. */
export function answerAt(event: unknown, path: string): string | null {
  const value = valueAt(event, path)
  if (value === undefined || Array.isArray(value) || isJsonObject(value)) return null
  const text = String(value).trim()
  return text === '' ? null : text
}

/** The places of the three labels of a job by default: Escalate, Drop, Investigate. */
const MEANINGS: readonly RegExp[] = [
  `true_positive true_alarm tp malicious attack intrusion compromised? escalated? confirmed incident breach phishing
   malware fraud threat critical true yes y 1`,
  `false_positive false_alarm benign fp btp noise normal drop(ped)? none no n 0 false ignored? harmless legitimate
   expected duplicate informational not_an?_(issue|incident) not_malicious safe clean ok dismissed`,
  'undetermined unknown suspicious investigate inconclusive unclear unsure maybe needs?_review',
].map((texts) => new RegExp(`^${oneOf(texts)}\\b`))

/** What a text means: the place of the default label that it is like; null: nobody knows. */
function meaningOf(text: string): number | null {
  const words = wordsOf(text)
  if (/^benign true positive|^not malicious/.test(words)) return 1
  const placed = /^(?:label|class) ([012])$/.exec(words)
  if (placed !== null) return Number(placed[1])
  const at = MEANINGS.findIndex((pattern) => pattern.test(words))
  return at < 0 ? null : at
}

/** The label of a job that a value is: the one of its name, else the only one that means the same; null: none. */
export function labelOfAnswer(value: string, labels: readonly string[]): number | null {
  const same = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase()
  const named = labels.findIndex((label) => same(label, value))
  if (named >= 0) return named
  const meaning = meaningOf(value)
  const like = labels.flatMap((label, at) => (meaning !== null && meaningOf(label) === meaning ? [at] : []))
  return like.length === 1 ? (like[0] as number) : null
}

export interface AnswerLabels {
  /** The three labels of the job. */
  readonly labels: readonly { readonly name: string; readonly unused: boolean }[]
  /** By value: the place of its label. */
  readonly places: ReadonlyMap<string, number>
}

const DEFAULTS = ['Escalate', 'Drop', 'Investigate'] as const
const YES = /^(true|yes|y|t|1)$/i
const NO = /^(false|no|n|f|0)$/i

/** `is_malicious` with true and false is "malicious" and "not malicious". */
function namesOf(field: string, values: readonly string[]): (value: string) => string {
  const words = lastOf(field)
  const noun = words.replace(/^(is|was) (an? )?/, '')
  const isNamed = (noun !== words || ANSWER_NAMES.at(-1)?.test(words) === true) && values.length === 2
  if (!isNamed || !values.every((value) => YES.test(value) || NO.test(value))) return (value) => value
  return (value) => (YES.test(value) ? noun : `not ${noun}`)
}

/**
 * The labels of a new job by the values of its answers. Where there are three or fewer, they become the labels: what
 * means Escalate or Drop takes that place. Where there are more, each value is the default label that it means; if
 * too few mean one, the two commonest become labels, and all others are one label, Other.
 */
export function labelsOfAnswers(field: string, counts: ReadonlyMap<string, number>): AnswerLabels {
  const spellings = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([value]) => value)
  const firsts = new Map<string, string>()
  for (const value of spellings) if (!firsts.has(value.toLowerCase())) firsts.set(value.toLowerCase(), value)
  const { labels, places } = labelsOfValues(field, [...firsts.values()])
  const all = spellings.flatMap((value) => {
    const place = places.get(firsts.get(value.toLowerCase()) as string)
    return place === undefined ? [] : [[value, place] as const]
  })
  return { labels, places: new Map(all) }
}

/** The same for values that differ by more than capitals, the commonest first. */
function labelsOfValues(field: string, values: readonly string[]): AnswerLabels {
  if (values.length > DEFAULTS.length) return labelsOfMany(values)
  const nameOf = namesOf(field, values)
  const names: (string | undefined)[] = [undefined, undefined, undefined]
  const places = new Map<string, number>()
  const put = (value: string, place: number): void => {
    names[place] = nameOf(value)
    places.set(value, place)
  }
  for (const value of values) {
    const place = meaningOf(value)
    if (place !== null && names[place] === undefined) put(value, place)
  }
  // The rarest of the others first: it is what one looks for.
  for (const value of values.filter((each) => !places.has(each)).reverse()) put(value, names.indexOf(undefined))
  const taken = new Set(names.flatMap((name) => name?.toLowerCase() ?? []))
  const spare = [...DEFAULTS, 'Other'].filter((name) => !taken.has(name.toLowerCase()))
  return {
    labels: names.map((name, at) => {
      if (name !== undefined) return { name, unused: false }
      const own = spare.indexOf(DEFAULTS[at] as string)
      return { name: spare.splice(Math.max(0, own), 1)[0] as string, unused: true }
    }),
    places,
  }
}

function labelsOfMany(values: readonly string[]): AnswerLabels {
  const meant = new Map(
    values.flatMap((value) => {
      const place = meaningOf(value)
      return place === null ? [] : [[value, place] as const]
    }),
  )
  const used = new Set(meant.values())
  if (used.size >= 2) return { labels: DEFAULTS.map((name, at) => ({ name, unused: !used.has(at) })), places: meant }
  const [first, second] = values as [string, string]
  const other = values.some((value) => value.toLowerCase() === 'other') ? 'All others' : 'Other'
  const labels = [first, second, other].map((name) => ({ name, unused: false }))
  return { labels, places: new Map(values.map((value, at) => [value, Math.min(at, 2)])) }
}

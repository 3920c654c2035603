/**
 * Finds the fields of alerts whose names say nothing: looks at the first alerts of a job, and chooses.
 *
 * Owns: when it chooses, what is known without looking, and the rows of the sample. Leaves out: the sample
 * (field-sample.ts), the choice (field-choice.ts), reading alerts (normalized-alert.ts).
 *
 * 1. A field that the job names is not looked for. Nor is one with a known name, where at least half of the alerts have
 *    it; a kind has to have two values, too.
 * 2. It chooses after 64 alerts, and again after each doubling up to 1,024. Then the choice is final, and the sample is
 *    dropped. With other parameters or decision points it begins again.
 * 3. The state is rows, written with the alerts that changed them.
 */
import { PartRows, type CauseReads, type CauseStore } from './cause-store.js'
import { chooseFields, type FoundFields, type KnownFields } from './field-choice.js'
import { sampleAlert, type FieldCode, type FieldSample } from './field-sample.js'
import { noFound, nothingFound, readersOf, type FoundReaders } from './found-readers.js'
import { knownNames, type CauseSettings } from './settings.js'

export const finderBounds = { firstChoice: 64, alertsMax: 1_024, alertsPerRow: 64 } as const

/** The number of the row in the part `global`. */
const FIELDS = 3
const usualShare = 0.5

export type Lacking = 'time' | 'id' | 'kind'

/** What a job knows of its fields. */
export interface FieldsRow {
  /** The parameters and decision points that it holds for. */
  readonly key: string
  /** Alerts looked at. */
  alerts: number
  readonly paths: string[]
  readonly numbers: number[]
  /** Null before the first choice. */
  found: FoundFields | null
  /** What neither a name nor the values of any field told. */
  lacks: readonly Lacking[]
  isFinal: boolean
}

interface SampleRow {
  readonly alerts: FieldCode[][]
}

function keyOf(settings: CauseSettings, decisionPoints: readonly string[]): string {
  const { idField, relatedField, timeField, kindFields, equalFields } = settings
  return JSON.stringify([idField, relatedField, timeField, kindFields, equalFields, decisionPoints])
}

/** The fields of a job as stored; null before its first alert. */
export function storedFields(reads: CauseReads): FieldsRow | null {
  return (reads.get('global', FIELDS) as FieldsRow | undefined) ?? null
}

export class FieldFinder {
  readonly #settings: CauseSettings
  readonly #globals: PartRows<FieldsRow>
  readonly #samples: PartRows<SampleRow>
  #decisionPoints: readonly string[] | null = null
  #row: FieldsRow | null
  #readers: FoundReaders

  constructor(causeStore: CauseStore, settings: CauseSettings) {
    this.#settings = settings
    this.#globals = new PartRows(causeStore, 'global')
    this.#samples = new PartRows(causeStore, 'samples')
    this.#row = this.#globals.get(FIELDS)
    this.#readers = this.#readersOf(this.#row)
  }

  /** Looks at a new alert of a job with these decision points. Returns how it is read. */
  look(body: Readonly<Record<string, unknown>>, decisionPoints: readonly string[]): FoundReaders {
    const row = this.#rowFor(decisionPoints)
    if (row.isFinal) return this.#readers
    const number = Math.floor(row.alerts / finderBounds.alertsPerRow)
    const isFirst = row.alerts % finderBounds.alertsPerRow === 0
    const own = isFirst ? this.#samples.set(number, { alerts: [] }) : (this.#samples.get(number) as SampleRow)
    sampleAlert({ paths: row.paths, numbers: row.numbers, alerts: own.alerts }, body)
    this.#samples.touch(number)
    row.alerts++
    this.#globals.touch(FIELDS)
    if (row.alerts >= finderBounds.firstChoice && (row.alerts & (row.alerts - 1)) === 0) this.#choose(row)
    return this.#readers
  }

  #rowFor(decisionPoints: readonly string[]): FieldsRow {
    if (this.#row !== null && this.#decisionPoints === decisionPoints) return this.#row
    const key = keyOf(this.#settings, decisionPoints)
    this.#decisionPoints = decisionPoints
    if (this.#row === null || this.#row.key !== key) {
      const fresh = { key, alerts: 0, paths: [], numbers: [], found: null, lacks: [], isFinal: false }
      this.#row = this.#globals.set(FIELDS, fresh)
      this.#readers = noFound
    }
    return this.#row
  }

  #choose(row: FieldsRow): void {
    const alerts: FieldCode[][] = []
    for (let at = 0; at * finderBounds.alertsPerRow < row.alerts; at++)
      alerts.push(...(this.#samples.get(at) as SampleRow).alerts)
    const sample = { paths: row.paths, numbers: row.numbers, alerts }
    const known = this.#known(sample)
    const isComplete = known.time !== '' && known.id !== '' && known.related !== '' && known.kind.length > 0
    row.isFinal = isComplete || row.alerts >= finderBounds.alertsMax
    const found = isComplete ? nothingFound : chooseFields(sample, known, row.isFinal)
    row.found = {
      time: known.time === '' ? found.time : '',
      id: known.id === '' ? found.id : '',
      related: known.related === '' ? found.related : '',
      kind: known.kind.length === 0 ? found.kind : [],
    }
    row.lacks = [
      ...(known.time === '' && found.time === '' ? ['time' as const] : []),
      ...(known.id === '' && found.id === '' ? ['id' as const] : []),
      ...(known.kind.length === 0 && found.kind.length === 0 ? ['kind' as const] : []),
    ]
    this.#readers = this.#readersOf(row)
    if (row.isFinal)
      for (let at = 0; at * finderBounds.alertsPerRow < row.alerts; at++) this.#samples.set(at, { alerts: [] })
  }

  #readersOf(row: FieldsRow | null): FoundReaders {
    const isEverywhere = row?.lacks.includes('id') === true && !row.lacks.includes('kind')
    return readersOf(row?.found ?? null, isEverywhere)
  }

  /** What the job's parameters and the known names say; paths of the sample. */
  #known({ paths, alerts }: FieldSample): KnownFields {
    const { idField, relatedField, timeField, kindFields, equalFields } = this.#settings
    const named = (given: string, names: readonly string[], valuesMin: number): string => {
      if (given !== '') return given
      const usual = names.find((name) => {
        const path = paths.indexOf(name)
        const values = path < 0 ? [] : alerts.map((alert) => alert[path] ?? 0).filter((code) => code !== 0)
        return values.length >= usualShare * alerts.length && new Set(values).size >= valuesMin
      })
      return usual ?? ''
    }
    const kind = named('', knownNames.kind, 2)
    return {
      time: named(timeField, knownNames.time, 1),
      // Without an id, equal fields alone name the entity.
      id: named(idField, knownNames.id, 1) || (equalFields[0] ?? ''),
      related: named(relatedField, knownNames.related, 1),
      kind: kindFields.length > 0 ? kindFields : kind === '' ? [] : [kind],
      kindAmong: this.#decisionPoints ?? [],
    }
  }

  flush(): void {
    this.#globals.flush()
    this.#samples.flush()
  }
}

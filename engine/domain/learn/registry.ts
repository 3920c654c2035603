/**
 * All classifiers, by the kind at the start of their models' bytes.
 *
 * From the first release on a kind is never reused for another layout of bytes: a stored model is opened by the class
 * that wrote it.
 */
import type { Classifier, Model } from './classifier.js'
import { kindOf } from './model-bytes.js'
import { pooled } from './pooled/pooled.js'

const classifiers: ReadonlyMap<string, Classifier> = new Map([pooled].map((one) => [one.kind, one]))

/** What a job trains with. */
export const defaultClassifier: Classifier = pooled

/** @throws Error for a kind that this version does not know. */
export function classifierFor(kind: string): Classifier {
  const classifier = classifiers.get(kind)
  if (classifier === undefined) throw new Error(`no classifier of kind ${JSON.stringify(kind)}`)
  return classifier
}

/** Loads a model of any kind, as in Classifier.load. @throws Error on bytes of an unknown kind. */
export function loadModel(bytes: Uint8Array, checked = false): Model {
  return classifierFor(kindOf(bytes)).load(bytes, checked)
}

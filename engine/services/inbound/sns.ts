/**
 * Messages of Amazon SNS: who sent one, and what is in it.
 *
 * 1. A message counts if its topic is the one that was set, and its signature is of that message (versions 1 and 2).
 * 2. A subscription is confirmed by itself, after these checks, at an address of SNS.
 */
import { verify } from 'node:crypto'
import { snsTopic } from '../../resource/registry/webhook-parameters.js'
import { isObject, type DocumentJson } from './formats/format.js'
import { regionOf, type SnsCertificates } from './sns-certificates.js'

const NOTIFICATION = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
const CONFIRMATION = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']

export function isSnsMessage(document: unknown): document is DocumentJson {
  return isObject(document) && typeof document.TopicArn === 'string' && typeof document.SigningCertURL === 'string'
}

/** The text that is signed: the fields of the message in the order of their names. */
function signedText(message: DocumentJson): string {
  const names = message.Type === 'Notification' ? NOTIFICATION : CONFIRMATION
  return names.flatMap((name) => (typeof message[name] === 'string' ? [`${name}\n${message[name]}\n`] : [])).join('')
}

/** @throws Error with words that follow "the message of SNS", if the message is not of that topic. */
export async function mustBeFrom(topic: string, message: DocumentJson, certificates: SnsCertificates): Promise<void> {
  if (message.TopicArn !== topic) throw new Error('is of another topic')
  const region = snsTopic.exec(topic)?.[1] ?? ''
  const hash = { '1': 'RSA-SHA1', '2': 'RSA-SHA256' }[String(message.SignatureVersion)]
  if (hash === undefined) throw new Error('has an unknown version of its signature')
  const key = await certificates.keyAt(String(message.SigningCertURL), region)
  const signature = Buffer.from(String(message.Signature), 'base64')
  if (!verify(hash, Buffer.from(signedText(message)), key, signature)) throw new Error('has a wrong signature')
}

/** The address that confirms the subscription; null if the message is no such, or the address is not of SNS. */
export function confirmationOf(message: DocumentJson): URL | null {
  const { Type: type, SubscribeURL: address } = message
  if (type !== 'SubscriptionConfirmation' || typeof address !== 'string' || !URL.canParse(address)) return null
  const url = new URL(address)
  return regionOf(url) === null ? null : url
}

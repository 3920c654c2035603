/** Messages of Amazon SNS: which are believed, and which certificates are trusted. */
import assert from 'node:assert/strict'
import { sign, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { confirmationOf, mustBeFrom } from '../../../../engine/services/inbound/sns.js'
import { SnsCertificates } from '../../../../engine/services/inbound/sns-certificates.js'
import { awayLeaf, otherLeaf, snsAuthority, snsKey, snsLeaf, snsRoot } from './certificates.js'

const TOPIC = 'arn:aws:sns:us-west-2:123456789012:MyTopic'
const CERTIFICATE = 'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-f3ecfb7224c7233fe7bb5f59f96de52f.pem'
const NOW = Date.parse('2027-01-01T00:00:00Z')

/** The form is that of https://docs.aws.amazon.com/sns/latest/dg/http-notification-json.html */
const notification = {
  Type: 'Notification',
  MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  TopicArn: TOPIC,
  Subject: 'My First Message',
  Message: 'Hello world!',
  Timestamp: '2012-05-02T00:54:06.655Z',
  SignatureVersion: '2',
  SigningCertURL: CERTIFICATE,
}

function signed(message: Record<string, unknown>, hash = 'RSA-SHA256'): Record<string, unknown> {
  const fields =
    message.Type === 'Notification'
      ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
      : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
  const text = fields.flatMap((name) => (message[name] === undefined ? [] : [`${name}\n${message[name]}\n`])).join('')
  return { ...message, Signature: sign(hash, Buffer.from(text), snsKey).toString('base64') }
}

function certificates(pem: string, { roots = [snsRoot], nowMs = NOW, authority = snsAuthority } = {}) {
  const fetched: string[] = []
  const fetch = async (url: URL): Promise<Uint8Array> => {
    fetched.push(url.href)
    return url.hostname.endsWith('amazontrust.com') ? new X509Certificate(authority).raw : Buffer.from(pem)
  }
  return { fetched, trusted: new SnsCertificates({ fetch, roots, nowMs: () => nowMs }) }
}

test('a message of the topic is believed, with either signature, and its certificate is read once', async () => {
  const { fetched, trusted } = certificates(snsLeaf)
  await mustBeFrom(TOPIC, signed(notification), trusted)
  await mustBeFrom(TOPIC, signed({ ...notification, SignatureVersion: '1' }, 'RSA-SHA1'), trusted)
  const { Subject: _, ...plain } = notification
  await mustBeFrom(TOPIC, signed(plain), trusted)
  assert.deepEqual(fetched, [CERTIFICATE, 'http://crt.test.amazontrust.com/test.cer'])
})

test('a changed message, another topic, another version and another signature are refused', async () => {
  const { trusted } = certificates(snsLeaf)
  const message = signed(notification)
  for (const [changed, expected] of [
    [{ ...message, Message: 'Hello' }, /wrong signature/],
    [{ ...message, Signature: '' }, /wrong signature/],
    [{ ...message, SignatureVersion: '3' }, /unknown version/],
    [signed({ ...notification, TopicArn: `${TOPIC}2` }), /another topic/],
  ] as const)
    await assert.rejects(mustBeFrom(TOPIC, changed, trusted), expected)
})

test('a certificate comes from SNS in the region of the topic', async () => {
  for (const address of [
    'http://sns.us-west-2.amazonaws.com/SimpleNotificationService-f3ecfb72.pem',
    'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-f3ecfb72.pem',
    'https://sns.us-west-2.amazonaws.com.evil.example/SimpleNotificationService-f3ecfb72.pem',
    'https://evil.example/SimpleNotificationService-f3ecfb72.pem',
    'https://sns.us-west-2.amazonaws.com:444/SimpleNotificationService-f3ecfb72.pem',
    'https://a@sns.us-west-2.amazonaws.com/SimpleNotificationService-f3ecfb72.pem',
    'https://sns.us-west-2.amazonaws.com/bucket/SimpleNotificationService-f3ecfb72.pem',
    'nonsense',
  ]) {
    const { fetched, trusted } = certificates(snsLeaf)
    const message = signed({ ...notification, SigningCertURL: address })
    await assert.rejects(mustBeFrom(TOPIC, message, trusted), /not at an address of SNS/, address)
    assert.deepEqual(fetched, [])
  }
})

test('a certificate is for SNS, valid now, and leads to a trusted root', async () => {
  const message = signed(notification)
  const refused = async (pem: string, expected: RegExp, options = {}): Promise<void> => {
    const { trusted } = certificates(pem, options)
    await assert.rejects(mustBeFrom(TOPIC, message, trusted), expected)
  }
  await refused(otherLeaf, /not for SNS/)
  await refused(snsLeaf, /not valid now/, { nowMs: Date.parse('2326-01-01') })
  await refused(snsLeaf, /no root that this machine trusts/, { roots: [] })
  await refused(snsLeaf, /no root that this machine trusts/, { authority: snsRoot })
  await refused(awayLeaf, /no root that this machine trusts/)
  await refused('nothing', /no certificate/)
  const whole = certificates(`${snsLeaf}\n${snsAuthority}`)
  await mustBeFrom(TOPIC, message, whole.trusted)
  assert.deepEqual(whole.fetched, [CERTIFICATE], 'a chain that is given is used')
})

test('a subscription is confirmed at an address of SNS alone', () => {
  const message = {
    Type: 'SubscriptionConfirmation',
    SubscribeURL: 'https://sns.us-west-2.amazonaws.com/?Action=Confirm',
  }
  assert.equal(confirmationOf(message)?.hostname, 'sns.us-west-2.amazonaws.com')
  assert.equal(confirmationOf({ ...message, SubscribeURL: 'https://evil.example/' }), null)
  assert.equal(confirmationOf({ ...message, Type: 'Notification' }), null)
})

/** Records for the Kafka double as a client of Kafka writes them, over the wire. */
import { Kafka, logLevel, type IHeaders } from 'kafkajs'
import type { KafkaServer } from './kafka-server.js'

export interface SentRecord {
  readonly value: string | Buffer | null
  readonly headers?: IHeaders
}

/** Puts records into the first partition of a topic, in one batch. */
export async function sendRecords(server: KafkaServer, topic: string, records: readonly SentRecord[]): Promise<void> {
  const brokers = [`127.0.0.1:${server.port}`]
  const producer = new Kafka({ brokers, logLevel: logLevel.NOTHING }).producer({ allowAutoTopicCreation: false })
  await producer.connect()
  try {
    await producer.send({ topic, messages: records.map((record) => ({ ...record, partition: 0 })) })
  } finally {
    await producer.disconnect()
  }
}

/** A real Kafka broker (KRaft, a node that is its own controller): its jars from Maven Central. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { firstCertificate } from '../../support/servers/certificates.js'
import { Child, listens } from './child.js'
import { jarsOf } from './counterparts.js'
import { freePort } from '../../../bench/harness/free-port.js'

const CLUSTER_ID = 'MkU3OEVBNTcwNTJENDM2Qg'

/** The jars. @throws NotHere if they cannot be installed. */
export function kafkaJars(): string {
  return jarsOf('kafka-4.1.0', 'kafka')
}

function pem(text: string): string {
  return text.trim().replaceAll('\n', '\\n')
}

export class KafkaNode {
  /**
   * In the clear, over TLS, and with SASL in the clear: user `ann`, password `right one`, as PLAIN, SCRAM-SHA-256 and
   * SCRAM-SHA-512.
   */
  readonly ports: { readonly plain: number; readonly tls: number; readonly sasl: number }
  readonly #jars: string
  readonly #home: string
  #child: Child | null = null

  private constructor(jars: string, home: string, ports: KafkaNode['ports'], controller: number) {
    this.#jars = jars
    this.#home = home
    this.ports = ports
    const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required;'
    const plain = 'org.apache.kafka.common.security.plain.PlainLoginModule required user_ann="right one";'
    writeFileSync(
      join(home, 'server.properties'),
      [
        'process.roles=broker,controller',
        'node.id=1',
        `controller.quorum.voters=1@127.0.0.1:${controller}`,
        `listeners=PLAIN://127.0.0.1:${ports.plain},TLS://127.0.0.1:${ports.tls},SASL://127.0.0.1:${ports.sasl},CONTROLLER://127.0.0.1:${controller}`,
        'listener.security.protocol.map=PLAIN:PLAINTEXT,TLS:SSL,SASL:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT',
        'inter.broker.listener.name=PLAIN',
        'controller.listener.names=CONTROLLER',
        `log.dirs=${home}/logs`,
        'offsets.topic.replication.factor=1',
        'offsets.topic.num.partitions=4',
        'transaction.state.log.replication.factor=1',
        'transaction.state.log.min.isr=1',
        'group.initial.rebalance.delay.ms=0',
        'auto.create.topics.enable=false',
        'ssl.keystore.type=PEM',
        `ssl.keystore.certificate.chain=${pem(firstCertificate.cert)}`,
        `ssl.keystore.key=${pem(firstCertificate.key)}`,
        'sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
        `listener.name.sasl.plain.sasl.jaas.config=${plain}`,
        `listener.name.sasl.scram-sha-256.sasl.jaas.config=${scram}`,
        `listener.name.sasl.scram-sha-512.sasl.jaas.config=${scram}`,
      ].join('\n'),
    )
    const users = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
      '--add-scram',
      `${mechanism}=[name="ann",password="right one"]`,
    ])
    const formatted = spawnSync(
      'java',
      [
        '-cp',
        `${jars}/*`,
        'kafka.tools.StorageTool',
        'format',
        '-t',
        CLUSTER_ID,
        '-c',
        join(home, 'server.properties'),
        ...users,
      ],
      { encoding: 'utf8' },
    )
    if (formatted.status !== 0) throw new Error(`Kafka could not be set up: ${formatted.stdout}${formatted.stderr}`)
  }

  static async open(jars: string): Promise<KafkaNode> {
    const ports = { plain: await freePort(), tls: await freePort(), sasl: await freePort() }
    const node = new KafkaNode(jars, mkdtempSync(join(tmpdir(), 'kafka-')), ports, await freePort())
    await node.start()
    return node
  }

  get address(): string {
    return `127.0.0.1:${this.ports.plain}`
  }

  async start(): Promise<void> {
    const args = [
      '-Xms384m',
      '-Xmx384m',
      '-XX:TieredStopAtLevel=1',
      '-cp',
      `${this.#jars}/*`,
      'kafka.Kafka',
      join(this.#home, 'server.properties'),
    ]
    this.#child = await Child.start('java', args, () => listens(this.ports.plain))
  }

  /** As a power cut would. */
  async kill(): Promise<void> {
    await this.#child?.kill()
  }

  async close(): Promise<void> {
    await this.kill()
    rmSync(this.#home, { recursive: true, force: true })
  }
}

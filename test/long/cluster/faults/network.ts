/**
 * A network whose machines are namespaces of this one, on one bridge: machines can be cut off, or from each other.
 *
 * It needs root and Linux. This machine is the bridge: it reaches all machines that are not cut off from everything.
 */
import { lacks, tool } from './machine.js'

/** Processes at once may have a network each: the third byte of their addresses. */
const subnet = process.pid % 250

export const lacksNetworks = (): string | false =>
  lacks('networks of their own', () => {
    const name = `ds-probe-${process.pid}`
    tool('ip', 'netns', 'add', name)
    tool('ip', 'netns', 'delete', name)
    tool('ip', 'link', 'add', `dsb${process.pid}`, 'type', 'bridge')
    tool('ip', 'link', 'delete', `dsb${process.pid}`)
  })

interface Machine {
  readonly namespace: string
  readonly address: string
  /** The end of its cable at the bridge. */
  readonly cable: string
}

export class Network {
  readonly #bridge = `dsb${process.pid}`
  readonly #machines = new Map<string, Machine>()

  constructor() {
    tool('ip', 'link', 'add', this.#bridge, 'type', 'bridge')
    tool('ip', 'address', 'add', `10.213.${subnet}.1/24`, 'dev', this.#bridge)
    tool('ip', 'link', 'set', this.#bridge, 'up')
  }

  /** Makes a machine; the address under which all others reach it. */
  add(name: string): string {
    const number = this.#machines.size + 10
    const [namespace, cable] = [`ds-${process.pid}-${name}`, `dsc${process.pid}-${number}`]
    const address = `10.213.${subnet}.${number}`
    const inside = (...args: string[]): string => tool('ip', '-n', namespace, ...args)
    tool('ip', 'netns', 'add', namespace)
    tool('ip', 'link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace)
    tool('ip', 'link', 'set', cable, 'master', this.#bridge, 'up')
    inside('address', 'add', `${address}/24`, 'dev', 'eth0')
    inside('link', 'set', 'eth0', 'up')
    inside('link', 'set', 'lo', 'up')
    this.#machines.set(name, { namespace, address, cable })
    return address
  }

  /** A command that runs a program on the machine, in place of itself. */
  within(name: string): readonly string[] {
    return ['ip', 'netns', 'exec', this.#machine(name).namespace]
  }

  /** Nothing reaches the machine, and it reaches nothing. Nobody is told: packets are lost. */
  cutOff(name: string): void {
    tool('ip', 'link', 'set', this.#machine(name).cable, 'down')
  }

  /** The machine does not reach the other ones, and they do not reach it; this machine does. */
  cutFrom(name: string, others: readonly string[]): void {
    for (const other of others) {
      this.#lose(name, other, 'add')
      this.#lose(other, name, 'add')
    }
  }

  /** What the machine sends to the others is lost, and what they send to it is not. */
  cutOneWay(name: string, others: readonly string[]): void {
    for (const other of others) this.#lose(name, other, 'add')
  }

  heal(): void {
    for (const [name, { cable }] of this.#machines) {
      tool('ip', 'link', 'set', cable, 'up')
      for (const other of this.#machines.keys()) {
        if (this.#lost.delete(`${name} ${other}`)) this.#lose(name, other, 'delete')
      }
    }
  }

  close(): void {
    for (const { namespace } of this.#machines.values()) tool('ip', 'netns', 'delete', namespace)
    tool('ip', 'link', 'delete', this.#bridge)
  }

  readonly #lost = new Set<string>()

  #lose(from: string, to: string, how: 'add' | 'delete'): void {
    if (how === 'add') this.#lost.add(`${from} ${to}`)
    const { namespace } = this.#machine(from)
    tool('ip', '-n', namespace, 'route', how, 'blackhole', `${this.#machine(to).address}/32`)
  }

  #machine(name: string): Machine {
    const found = this.#machines.get(name)
    if (found === undefined) throw new Error(`there is no machine ${name}`)
    return found
  }
}

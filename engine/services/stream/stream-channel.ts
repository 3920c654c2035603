/** Listeners that ask for the same messages, and the positions that they are at. */
import { streamTypes, type StreamListener, type StreamQuery, type StreamType } from '../../api/live/stream-service.js'
import type { Principal } from '../../api/principal.js'
import { FieldSet } from '../../domain/query/field.js'
import { compileFilters, parseFilters, type Filter } from '../../domain/query/filter.js'

export interface Channel {
  /** Equal for listeners that ask for the same. */
  readonly key: string
  readonly principal: Principal
  readonly query: Pick<StreamQuery, 'jobIds' | 'jobTitles' | 'form'>
  readonly types: readonly StreamType[]
  readonly filters: readonly Filter[]
  readonly members: Set<ChannelMember>
  /** Those that can take more, by the text of their position. */
  readonly waiting: Map<string, Set<ChannelMember>>
}

export interface ChannelMember {
  readonly listener: StreamListener
  /** The text of its position; '' until it has one. */
  position: string
  isOpen: boolean
}

/** The channel of a query, without members. @throws Refusal invalid_body. */
export function channelOf(
  principal: Principal,
  { jobIds, jobTitles, types = streamTypes, filters, form }: StreamQuery,
): Channel {
  const parsed = parseFilters(filters, ['query', 'filters'])
  const fields = new FieldSet(['service'])
  compileFilters(parsed, fields, { nowMicros: 0, offsetMinutes: 0 }, ['query', 'filters'])
  fields.mustBeDecided(['query', 'filters'])
  const wanted = streamTypes.filter((type) => types.includes(type))
  const query = {
    form,
    ...(jobIds === undefined ? {} : { jobIds }),
    ...(jobTitles === undefined ? {} : { jobTitles }),
  }
  // Only input keys see other jobs than the rest.
  const seer = principal.kind === 'input' ? principal.name : ''
  const key = JSON.stringify([seer, query, wanted, parsed])
  return { key, principal, query, types: wanted, filters: parsed, members: new Set(), waiting: new Map() }
}

/** The member can take more. */
export function wait({ waiting }: Channel, member: ChannelMember): void {
  const group = waiting.get(member.position)
  if (group === undefined) waiting.set(member.position, new Set([member]))
  else group.add(member)
}

export function removeMember({ members, waiting }: Channel, member: ChannelMember): void {
  members.delete(member)
  const group = waiting.get(member.position)
  group?.delete(member)
  if (group?.size === 0) waiting.delete(member.position)
}

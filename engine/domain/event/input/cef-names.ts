/** The keys of the extension of CEF, their full names, and which of them are numbers (ArcSight, revision 27). */

export interface CefName {
  readonly name: string
  readonly isNumber: boolean
}

/** `key=fullName`; a `#` after it: a number. */
const table = `
  act=deviceAction app=applicationProtocol art=agentReceiptTime cat=deviceEventCategory cnt=baseEventCount#
  dhost=destinationHostName dmac=destinationMacAddress dntdom=destinationNtDomain dpid=destinationProcessId#
  dpriv=destinationUserPrivileges dproc=destinationProcessName dpt=destinationPort# dst=destinationAddress
  dtz=deviceTimeZone duid=destinationUserId duser=destinationUserName dvc=deviceAddress dvchost=deviceHostName
  dvcmac=deviceMacAddress dvcpid=deviceProcessId# end=endTime fname=fileName fsize=fileSize# in=bytesIn# msg=message
  out=bytesOut# outcome=eventOutcome proto=transportProtocol request=requestUrl rt=deviceReceiptTime
  shost=sourceHostName smac=sourceMacAddress sntdom=sourceNtDomain spid=sourceProcessId# spriv=sourceUserPrivileges
  sproc=sourceProcessName spt=sourcePort# src=sourceAddress start=startTime suid=sourceUserId suser=sourceUserName
  aid=agentId ahost=agentHostName agt=agentAddress at=agentType atz=agentTimeZone av=agentVersion
  amac=agentMacAddress mrt=managerReceiptTime catdt=categoryDeviceType
  deviceInboundInterface=deviceInboundInterface deviceOutboundInterface=deviceOutboundInterface
  destinationTranslatedPort=destinationTranslatedPort# sourceTranslatedPort=sourceTranslatedPort#
  deviceDirection=deviceDirection# type=type# dlat=destinationGeoLatitude dlong=destinationGeoLongitude
  slat=sourceGeoLatitude slong=sourceGeoLongitude
  c6a1=deviceCustomIPv6Address1 c6a1Label=deviceCustomIPv6Address1Label
  c6a2=deviceCustomIPv6Address2 c6a2Label=deviceCustomIPv6Address2Label
  c6a3=deviceCustomIPv6Address3 c6a3Label=deviceCustomIPv6Address3Label
  c6a4=deviceCustomIPv6Address4 c6a4Label=deviceCustomIPv6Address4Label
`

function entryOf(word: string): [string, CefName] {
  const [key = '', full = ''] = word.split('=')
  return [key, { name: full.replace('#', ''), isNumber: full.endsWith('#') }]
}

/** Numbered fields with labels: `cs1` and `cs1Label` to `cs6`, and so on. */
function numbered(short: string, full: string, count: number): [string, CefName][] {
  return Array.from({ length: count }, (_, i) => i + 1).flatMap((n): [string, CefName][] => [
    [`${short}${n}`, { name: `${full}${n}`, isNumber: short === 'cn' }],
    [`${short}${n}Label`, { name: `${full}${n}Label`, isNumber: false }],
  ])
}

export const cefNames: ReadonlyMap<string, CefName> = new Map([
  ...table.trim().split(/\s+/).map(entryOf),
  ...numbered('cs', 'deviceCustomString', 6),
  ...numbered('cn', 'deviceCustomNumber', 3),
  ...numbered('cfp', 'deviceCustomFloatingPoint', 4),
])

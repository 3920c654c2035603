/**
 * The products whose alerts the stream is made of, and their rules. Names are invented; techniques are ATT&CK ids.
 *
 * `malice` is how bad an alert of the rule is before host, user and source are known: below 0 is routine, above 2 is
 * grave.
 */

export type Product = 'edr' | 'nids' | 'firewall' | 'cloud_audit' | 'mail_gateway' | 'identity'

/** The stages of an intrusion, in order. */
export type Stage = 'delivery' | 'execution' | 'credentials' | 'movement' | 'command' | 'exfiltration'

export const stages: readonly Stage[] = ['delivery', 'execution', 'credentials', 'movement', 'command', 'exfiltration']

export interface Rule {
  readonly product: Product
  readonly id: string
  readonly name: string
  /** 0 to 100, as the vendor sets it. */
  readonly severity: number
  readonly malice: number
  readonly techniques: readonly string[]
  readonly port: number
  /** The stage of an intrusion that raises it; null if only routine does. */
  readonly stage: Stage | null
}

export interface ProductInfo {
  readonly title: string
  readonly dataset: string
  readonly category: string
}

export const products: Readonly<Record<Product, ProductInfo>> = {
  edr: { title: 'Endpoint Guard', dataset: 'edr.alerts', category: 'process' },
  nids: { title: 'Wirewatch', dataset: 'nids.eve', category: 'intrusion_detection' },
  firewall: { title: 'Edgewall', dataset: 'firewall.log', category: 'network' },
  cloud_audit: { title: 'Cloud Trace', dataset: 'cloud.audit', category: 'configuration' },
  mail_gateway: { title: 'Mail Sieve', dataset: 'mail.verdict', category: 'email' },
  identity: { title: 'Sign-On', dataset: 'identity.signin', category: 'authentication' },
}

type Row = readonly [string, string, number, number, string, number, Stage | null]

const rows: Readonly<Record<Product, readonly Row[]>> = {
  edr: [
    ['EG-1001', 'Macro enabled document started a shell', 73, 2.0, 'T1204.002 T1059.001', 0, 'execution'],
    ['EG-1002', 'Encoded command line in script interpreter', 66, 1.6, 'T1059.001 T1027', 0, 'execution'],
    ['EG-1003', 'Memory of credential process read', 90, 2.8, 'T1003.001', 0, 'credentials'],
    ['EG-1004', 'Remote service created by administrator tool', 58, 0.9, 'T1569.002 T1021.002', 445, 'movement'],
    ['EG-1005', 'Unsigned driver loaded', 61, 1.1, 'T1068', 0, null],
    ['EG-1006', 'Scheduled task created by user process', 35, -0.2, 'T1053.005', 0, null],
    ['EG-1007', 'Potentially unwanted application quarantined', 22, -1.6, 'T1204', 0, null],
    ['EG-1008', 'Archive tool packed many documents', 55, 1.2, 'T1560.001', 0, 'exfiltration'],
    ['EG-1009', 'Backup copies deleted', 88, 2.7, 'T1490', 0, null],
    ['EG-1010', 'Software updater wrote to program folder', 18, -1.9, 'T1105', 443, null],
    ['EG-1011', 'New autostart entry', 40, 0.1, 'T1547.001', 0, null],
    ['EG-1012', 'Security agent stopped by administrator', 64, 1.0, 'T1562.001', 0, 'execution'],
  ],
  nids: [
    ['WW-2101', 'Port scan from internal host', 34, -0.3, 'T1046', 0, 'movement'],
    ['WW-2102', 'Port scan from internet', 20, -1.8, 'T1595.001', 0, null],
    ['WW-2103', 'Periodic beacon to rare domain', 70, 1.9, 'T1071.001 T1573', 443, 'command'],
    ['WW-2104', 'Domain name tunnelling suspected', 68, 1.6, 'T1071.004 T1048', 53, 'command'],
    ['WW-2105', 'Web server path traversal attempt', 45, -0.4, 'T1190', 80, null],
    ['WW-2106', 'Remote desktop brute force', 56, 0.5, 'T1110.001 T1021.001', 3389, 'movement'],
    ['WW-2107', 'Outdated transport encryption', 12, -2.0, 'T1557', 443, null],
    ['WW-2108', 'Executable downloaded over plain connection', 52, 0.8, 'T1105', 80, 'delivery'],
    ['WW-2109', 'Known exploit kit landing page', 63, 1.3, 'T1189', 443, 'delivery'],
    ['WW-2110', 'Peer to peer traffic', 17, -1.7, 'T1090', 6881, null],
    ['WW-2111', 'Gateway appliance exploit attempt', 60, 0.3, 'T1190 T1133', 443, null],
  ],
  firewall: [
    ['FW-301', 'Inbound connection denied', 10, -2.2, 'T1595', 23, null],
    ['FW-302', 'Outbound connection to listed address', 50, 0.9, 'T1071', 443, 'command'],
    ['FW-303', 'Large outbound transfer', 48, 0.8, 'T1048.002', 443, 'exfiltration'],
    ['FW-304', 'Policy violation file sharing', 25, -1.0, 'T1567.002', 443, null],
    ['FW-305', 'Denied traffic between zones', 28, -0.9, 'T1021', 445, 'movement'],
    ['FW-306', 'Virtual private network login from new country', 46, 0.4, 'T1133 T1078', 1194, 'credentials'],
    ['FW-307', 'Rule base changed', 30, -0.7, 'T1562.004', 22, null],
  ],
  cloud_audit: [
    ['CT-4001', 'Storage bucket made public', 62, 1.4, 'T1530', 443, 'exfiltration'],
    ['CT-4002', 'Access key created for another user', 54, 0.9, 'T1098.001', 443, 'credentials'],
    ['CT-4003', 'Audit trail switched off', 80, 2.4, 'T1562.008', 443, null],
    ['CT-4004', 'Security group opened to internet', 44, 0.3, 'T1562.007', 22, null],
    ['CT-4005', 'Unusual number of denied calls', 33, -0.5, 'T1580', 443, null],
    ['CT-4006', 'Snapshot shared with foreign account', 65, 1.7, 'T1537', 443, 'exfiltration'],
    ['CT-4007', 'Console login without second factor', 37, -0.1, 'T1078.004', 443, null],
  ],
  mail_gateway: [
    ['MS-501', 'Phishing link in message', 42, 0.2, 'T1566.002', 25, 'delivery'],
    ['MS-502', 'Attachment with macro', 47, 0.6, 'T1566.001', 25, 'delivery'],
    ['MS-503', 'Bulk mail from new sender', 8, -2.3, 'T1566', 25, null],
    ['MS-504', 'Sender imitates executive', 51, 0.9, 'T1534 T1656', 25, 'delivery'],
    ['MS-505', 'Message reported by user', 26, -0.6, 'T1566', 25, null],
    ['MS-506', 'Encrypted attachment not scanned', 19, -1.2, 'T1027', 25, null],
  ],
  identity: [
    ['SO-601', 'Many failed logins for one account', 36, -0.2, 'T1110.001', 443, 'credentials'],
    ['SO-602', 'One password tried for many accounts', 57, 1.1, 'T1110.003', 443, 'credentials'],
    ['SO-603', 'Impossible travel', 49, 0.6, 'T1078', 443, 'credentials'],
    ['SO-604', 'Second factor refused repeatedly', 59, 1.2, 'T1621', 443, 'credentials'],
    ['SO-605', 'Account locked', 9, -2.0, 'T1110', 443, null],
    ['SO-606', 'Administrator role granted', 55, 0.7, 'T1098.003', 443, null],
    ['SO-607', 'Login with outdated client', 14, -1.5, 'T1078', 443, null],
    ['SO-608', 'Dormant account used', 53, 0.9, 'T1078.002', 443, 'movement'],
  ],
}

/** Every rule, grouped by product. */
export const rules: readonly Rule[] = (Object.keys(rows) as Product[]).flatMap((product) =>
  rows[product].map(([id, name, severity, malice, techniques, port, stage]) => {
    return { product, id, name, severity, malice, techniques: techniques.split(' '), port, stage }
  }),
)

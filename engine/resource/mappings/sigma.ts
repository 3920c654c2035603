/**
 * Matches of Sigma rules, as Hayabusa writes them (`json-timeline`, profile verbose). Levels and tags come from the
 * rule.
 */
import type { Mapping } from './mapping.js'

export const sigma: Mapping = {
  id: 'sigma',
  name: 'Sigma rules (Hayabusa)',
  description: 'Matches of Sigma rules in the Windows event log, as Hayabusa writes them in its profile verbose.',
  documentation: 'https://github.com/Yamato-Security/hayabusa/wiki/Timeline-Output',
  timeField: 'Timestamp',
  titleField: 'RuleTitle',
  severityField: 'Level',
  points: [
    { path: 'RuleTitle', meaning: 'The rule that matched.' },
    { path: 'Level', meaning: 'The severity that the rule gives, from informational to critical.' },
    { path: 'MitreTactics', meaning: 'Tactics of ATT&CK among the tags of the rule.' },
    { path: 'MitreTags', meaning: 'Techniques of ATT&CK among the tags of the rule.' },
    { path: 'OtherTags', meaning: 'The other tags of the rule.' },
    { path: 'Channel', meaning: 'The log with the match.' },
    { path: 'EventID', meaning: 'What happened.' },
  ],
  avoid: [
    { path: 'RecordID', meaning: 'A counter.' },
    { path: 'Timestamp', meaning: 'Always different.' },
    { path: 'EvtxFile', meaning: 'The file of the log.' },
  ],
}

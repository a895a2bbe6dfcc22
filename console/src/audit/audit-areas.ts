import { eventWords } from './audit-words.ts'

/** The areas of the audit log: the first part of the name of each event. */
export const areaWords: Readonly<Record<string, string>> = {
  agent: 'Deploy agents',
  auth: 'Sign-in and accounts',
  cloud: 'Clouds',
  finops: 'Cost',
  git: 'Git',
  notification: 'Notifications',
  org: 'People and organization',
  pipeline: 'Pipelines and runs',
  policy: 'Policies',
  saml: 'Single sign-on',
  scim: 'Provisioning',
  workspace: 'Workspaces',
}

/** What the target of an event is, where its words do not say it. */
const objects: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(org|scim)\.user_/, 'a person'],
  [/^pipeline\.(run|awaiting|gates|cancel|artifact|deploy|rolled)_/, 'a run'],
  [/^(workspace\.|git\.(repo|divergence)_)/, 'a workspace'],
]

/** An event without its subject and the name of its target: “Created the workspace”, “Approved a run”. */
function eventName(event: string): string {
  const words = eventWords[event] ?? event.replaceAll(/[._]/g, ' ')
  const object = objects.find(([pattern]) => pattern.test(event))?.[1]
  // Directly after the verb or a preposition.
  const bare = /^(\w+|.* (?:of|on|to)) \{\}/.exec(words)
  const named =
    bare && object !== undefined
      ? words.replace('{}', object)
      : words.replace(/( (of|on|to))? \{\}/, '')
  return named.replace(/^./, (letter) => letter.toUpperCase())
}

export type EventGroup = {
  area: string
  label: string
  events: Array<{ event: string; name: string }>
}

/** Each area with its events, in the order of their words. */
export const eventGroups: readonly EventGroup[] = Object.entries(areaWords).map(
  ([area, label]) => ({
    area,
    label,
    events: Object.keys(eventWords)
      .filter((event) => event.startsWith(`${area}.`))
      .map((event) => ({ event, name: eventName(event) })),
  }),
)

/** The value of the filter “what” in words: an area, with or without its dots and stars, or one event. */
export function whatWords(event: string): string {
  const area = /^([a-z]+)(\.?\*)?$/.exec(event)?.[1] ?? ''
  return areaWords[area] ?? eventName(event)
}

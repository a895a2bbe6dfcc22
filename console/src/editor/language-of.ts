import { json } from '@codemirror/lang-json'
import { yaml } from '@codemirror/lang-yaml'
import { StreamLanguage } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { hcl } from './hcl.ts'
import { rego } from './rego.ts'

/** The language of a file, by its name. */
export function languageOf(name: string): Extension {
  const ending = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return languages[ending]?.() ?? []
}

const hclLanguage = StreamLanguage.define(hcl)
const regoLanguage = StreamLanguage.define(rego)

const languages: Readonly<Record<string, (() => Extension) | undefined>> = {
  tf: () => hclLanguage,
  tofu: () => hclLanguage,
  tfvars: () => hclLanguage,
  hcl: () => hclLanguage,
  rego: () => regoLanguage,
  json: () => json(),
  yaml: () => yaml(),
  yml: () => yaml(),
}

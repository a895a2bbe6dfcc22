import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pythonTools } from '../python-tools.ts'

/** What stands in the octets that a signature covers; each list has one member where all is well. */
export type Identity = {
  id: string | null
  issuer: string[]
  nameId: string[]
  audiences: string[][]
  inResponseTo: Array<string | null>
  recipient: Array<string | null>
  attributes: Array<[string, string[]]>
}

export type Opinion = {
  /** Of the signatures of the response and of its assertion; null where one of them does not hold. */
  signed: Array<Identity | null> | null
  /** Whether a signature that stands elsewhere would hold. */
  anywhere: boolean
  why?: string
}

export type SecondOpinion = { ask(xml: Buffer): Promise<Opinion>; close(): void }

/** One process for all of them: its start costs a second, an opinion some milliseconds. */
export async function secondOpinion(certificateFile: string): Promise<SecondOpinion> {
  const bin = await pythonTools('signxml', ['signxml==5.2.0', 'lxml==6.1.3'])
  const script = join(import.meta.dirname, 'verify-responses.py')
  const child = spawn(join(bin, 'python'), [script, certificateFile], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const waiting: Array<{ take: (opinion: Opinion) => void; lose: (fault: Error) => void }> = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    // Our own script's form.
    waiting.shift()?.take(JSON.parse(line) as Opinion)
  })
  child.on('close', (code) => {
    for (const { lose } of waiting.splice(0)) lose(new Error(`signxml ended with ${code}`))
  })
  return {
    ask: async (xml) =>
      new Promise((take, lose) => {
        waiting.push({ take, lose })
        child.stdin.write(`${xml.toString('base64')}\n`)
      }),
    close: () => void child.kill(),
  }
}

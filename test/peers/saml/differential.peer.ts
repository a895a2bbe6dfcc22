import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { decodeXml, parseXml } from '../../../domain/saml/parse-xml.ts'
import { readAssertion, type Assertion } from '../../../domain/saml/read-assertion.ts'
import { readResponse } from '../../../domain/saml/read-response.ts'
import { SamlRefusal } from '../../../domain/saml/saml-refusal.ts'
import { namespaces } from '../../../domain/saml/xml-elements.ts'
import { readTwice } from '../../../gateways/saml/read-twice.ts'
import { hasPython } from '../python-tools.ts'
import {
  attacker,
  genuineResponse,
  seededProvider,
  victim,
  type Provider,
} from './genuine-responses.ts'
import { elementMutations } from './mutate-elements.ts'
import { textMutations } from './mutate-text.ts'
import { secondOpinion, type Identity, type Opinion, type SecondOpinion } from './second-opinion.ts'
import { seededRandom, type Random } from './seeded-random.ts'

/** `PEER_SEED=7 PEER_RESPONSES=100000 npm run test:peers -- differential` searches elsewhere, and deeper. */
const seed = Number(process.env['PEER_SEED'] ?? 20_261_122)
const count = Number(process.env['PEER_RESPONSES'] ?? 10_000)
const mutations = { ...textMutations, ...elementMutations }

type Sample = { at: number; applied: string[]; xml: Buffer }
type Reader = typeof readResponse
type Verdicts = {
  both: number
  neither: number
  oursAlone: string[]
  theirsAlone: Record<string, number>
  /** Accepted by both, by mutation: one that never is proves little. */
  acceptedBy: Record<string, number>
  accepted: Sample[]
}

function makeSample(genuine: readonly string[], random: Random, at: number): Sample {
  const other = random.pick(genuine)
  const applied: string[] = []
  const times = random.pick([1, 1, 1, 2, 2, 3])
  let xml: string | Buffer = random.pick(genuine)
  while (applied.length < times && typeof xml === 'string') {
    const name = random.pick(Object.keys(mutations))
    applied.push(name)
    try {
      xml = mutations[name]?.({ xml, other, random, victim, attacker }) ?? xml
    } catch {
      // One that the mutation before has spoiled for this one.
    }
  }
  return { at, applied, xml: Buffer.from(xml) }
}

/** Ours, as the ACS asks it: undefined where it is refused. */
function readOurs(read: Reader, { xml }: Sample, { expected }: Provider): Assertion | undefined {
  try {
    return read(decodeXml(xml), expected).assertion
  } catch (error) {
    // Anything else is a fault that a message of somebody's brought about.
    if (error instanceof SamlRefusal) return undefined
    throw error
  }
}

const identityOf = (of: Assertion): Identity => ({
  id: of.id,
  issuer: [of.issuer],
  nameId: [of.nameId.value],
  audiences: of.conditions.audiences,
  inResponseTo: of.confirmations.map(({ inResponseTo }) => inResponseTo ?? null),
  recipient: of.confirmations.map(({ recipient }) => recipient ?? null),
  attributes: of.attributes.map(({ name, values }) => [name, values]),
})

/** The claim: what ours accepts, theirs accepts, and reads the same out of what was signed. */
function faultOf(ours: Assertion, { signed }: Opinion): string | undefined {
  if (signed === null) return 'theirs refuses it'
  const wanted = identityOf(ours)
  const different = signed.find((one) => !isDeepStrictEqual(one, wanted))
  return different === undefined
    ? undefined
    : `ours reads ${JSON.stringify(wanted)}, theirs ${JSON.stringify(different)}`
}

async function compare(
  { provider, theirs, read }: { provider: Provider; theirs: SecondOpinion; read: Reader },
  samples: number,
): Promise<Verdicts> {
  const random = seededRandom(seed)
  // Signing each of them costs more than all the rest.
  const genuine = Array.from({ length: 60 }, () => genuineResponse(provider, random))
  const found: Verdicts = {
    both: 0,
    neither: 0,
    oursAlone: [],
    theirsAlone: {},
    acceptedBy: {},
    accepted: [],
  }
  const note = async (sample: Sample, ours: Assertion | undefined, asked: Promise<Opinion>) => {
    const opinion = await asked
    const name = sample.applied.join('+')
    if (!ours) {
      if (opinion.signed === null && !opinion.anywhere) found.neither += 1
      else found.theirsAlone[name] = (found.theirsAlone[name] ?? 0) + 1
      return
    }
    const fault = faultOf(ours, opinion)
    if (fault !== undefined) {
      found.oursAlone.push(
        `${sample.at} ${name}: ${fault} (${opinion.why})\n${sample.xml.toString()}`,
      )
      return
    }
    found.both += 1
    found.accepted.push(sample)
    for (const one of sample.applied) found.acceptedBy[one] = (found.acceptedBy[one] ?? 0) + 1
  }
  // Both at once: their process works while ours does, some hundred ahead of each other at most.
  for (let at = 0; at < samples; at += 200) {
    const batch = Array.from({ length: Math.min(200, samples - at) }, async (_, n) => {
      const sample = makeSample(genuine, random, at + n)
      const asked = theirs.ask(sample.xml)
      return note(sample, readOurs(read, sample, provider), asked)
    })
    await Promise.all(batch)
  }
  return found
}

/** As a verifier that lost its check of what the signature refers to would be: whatever stands first is read. */
const careless: Reader = (xml) => {
  const [assertion] = Array.from(
    parseXml(xml).getElementsByTagNameNS(namespaces.assertion, 'Assertion'),
  )
  if (!assertion) throw new SamlRefusal('assertion_missing')
  return {
    assertion: readAssertion(assertion),
    signed: { response: true, assertion: true },
    certificate: '',
  }
}

describe.skipIf(!hasPython())(`SAML responses, ours beside signxml, seed ${seed}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'cc-saml-differential-'))
  let provider: Provider
  let theirs: SecondOpinion
  let found: Verdicts
  beforeAll(async () => {
    provider = await seededProvider(seededRandom(seed))
    const pem = join(folder, 'certificate.pem')
    writeFileSync(pem, provider.idp.certificate)
    theirs = await secondOpinion(pem)
  })
  afterAll(() => {
    theirs?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('both accept what is genuine, and read the same', async () => {
    const random = seededRandom(seed)
    for (let n = 0; n < 30; n += 1) {
      const xml = genuineResponse(provider, random)
      const ours = readResponse(xml, provider.expected).assertion
      expect(faultOf(ours, await theirs.ask(Buffer.from(xml)))).toBeUndefined()
    }
  })

  test('node-saml, the second verifier, refuses none that is genuine', async () => {
    const random = seededRandom(seed)
    // It asks the clock itself.
    vi.useFakeTimers({ toFake: ['Date'], now: provider.expected.now })
    try {
      for (let n = 0; n < 100; n += 1) {
        const { assertion } = await readTwice(genuineResponse(provider, random), provider.expected)
        expect(assertion.nameId.value).toBe(attacker)
      }
    } finally {
      vi.useRealTimers()
    }
  })

  test(`of ${count} mutated ones, none is accepted by ours alone or read otherwise`, async () => {
    found = await compare({ provider, theirs, read: readResponse }, count)
    const theirsAlone = Object.values(found.theirsAlone).reduce((sum, one) => sum + one, 0)
    console.log(
      `seed ${seed}: ${found.both} accepted by both, ${found.neither} by neither, ${theirsAlone} by signxml alone, ${found.oursAlone.length} by ours alone`,
    )
    expect(found.oursAlone.slice(0, 3).join('\n\n')).toBe('')
    // Of what was mutated beyond harm nothing is left to compare: some must be left.
    expect(found.both).toBeGreaterThan(count / 50)
    expect(Object.keys(found.acceptedBy).length).toBeGreaterThan(15)
    expect(theirsAlone).toBeGreaterThan(0)
  })

  test('what is accepted names nobody whom the provider did not', () => {
    for (const { xml } of found.accepted) {
      const { nameId, attributes } = readResponse(decodeXml(xml), provider.expected).assertion
      expect(nameId.value).toBe(attacker)
      expect(JSON.stringify(attributes)).not.toContain(victim)
    }
  })

  test.skipIf(!hasXmlsec())('xmlsec1 accepts those that both accept', () => {
    const key = join(folder, 'certificate.pem')
    const file = join(folder, 'response.xml')
    const ids = [`${namespaces.protocol}:Response`, `${namespaces.assertion}:Assertion`]
    for (const { xml, at, applied } of found.accepted.slice(0, 100)) {
      // It would take the key that the message names before the one that it is given.
      writeFileSync(file, withoutFirstKey(xml.toString()))
      const args = ids.flatMap((id) => ['--id-attr:ID', id])
      const verify = () =>
        execFileSync('xmlsec1', ['--verify', '--pubkey-cert-pem', key, ...args, file], {
          stdio: 'pipe',
        })
      expect(verify, `response ${at}, ${applied.join('+')}: ${xml.toString()}`).not.toThrow()
    }
  })

  test('a verifier that believes what stands first is found out', async () => {
    const { oursAlone } = await compare({ provider, theirs, read: careless }, 400)
    expect(oursAlone.length).toBeGreaterThan(20)
  })
})

/** xmlsec1 takes the key that the message names before the one that it is given; it verifies the first signature. */
function withoutFirstKey(xml: string): string {
  const mark = 'SignatureValue>'
  const end = xml.indexOf(mark, xml.indexOf(mark) + 1) + mark.length
  const rest = xml.slice(end).replace(/^\s*<(\w+):KeyInfo[\s\S]*?<\/\1:KeyInfo>/, '')
  return xml.slice(0, end) + rest
}

function hasXmlsec(): boolean {
  try {
    execFileSync('xmlsec1', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

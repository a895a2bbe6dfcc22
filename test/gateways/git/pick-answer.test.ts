import { expect, test } from 'vitest'
import { pickAnswer } from '../../../gateways/git/pick-answer.ts'
import { turnsDuring } from '../../harness/turns-during.ts'

const wanted = { more: true, list: [{ path: true }] } as const
const limits = { provider: 'GitHub', maxItems: 20_000, maxFields: 50_000 }
const pick = async (text: string) => pickAnswer(new Response(text), wanted, limits)

test('the parts that are wanted are read as JSON.parse reads them, with turns for others', async () => {
  const list = Array.from({ length: 20_000 }, (_, at) => ({ path: `é/${at}"\n`, size: [at, {}] }))
  const { turns, result } = await turnsDuring(async () =>
    pick(JSON.stringify({ other: list, more: false, list })),
  )
  expect(result).toEqual({ more: false, list: list.map(({ path }) => ({ path })) })
  expect(turns).toBeGreaterThan(20)
})

test.each(['', '{"list":[', '{"list":[]', '<html>', '{"list":[{"path":"a"}]}}'])(
  'half an answer, as %s, is a fault of the host',
  async (text) => {
    await expect(pick(text)).rejects.toMatchObject({
      code: 'git_provider_unavailable',
      message: 'GitHub sent half an answer.',
    })
  },
)

test('more fields than may be read are too many parts; more items are passed over', async () => {
  await expect(pick(`{"list":[${'{"a":1,"b":2,"c":3},'.repeat(17_000)}{}]}`)).rejects.toMatchObject(
    {
      code: 'git_repository_too_large',
      message: 'GitHub sent an answer of too many parts.',
    },
  )
  const { list } = (await pick(`{"list":[${'{},'.repeat(30_000)}{}]}`)) as { list: unknown[] }
  expect(list).toHaveLength(20_000)
})

import { Ajv } from 'ajv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileBody, compiledAnswer, compileTexts } from '../../../api/http/compile-schema.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness?.close())

describe('schemas of routes, which their first use compiles', () => {
  test('all of them compile', () => {
    let compiled = 0
    // Without formats, which are no part of a schema of schemas.
    const ajv = new Ajv({ strict: false })
    for (const { method, url, schema, access } of harness.app.routeTable()) {
      const answers = Object.values((schema?.response ?? {}) as Record<string, unknown>)
      // SCIM writes its answers without a schema.
      const serialized = access === 'scim' ? [] : answers
      try {
        for (const answer of serialized) compiledAnswer(answer)
        if (schema?.body) compileBody.now(schema.body)
        const texts = [schema?.params, schema?.querystring, schema?.headers].filter(Boolean)
        for (const text of texts) compileTexts.now(text)
        for (const read of [schema?.body, ...texts])
          if (read && !ajv.validateSchema(read)) throw new Error(ajv.errorsText())
      } catch (error) {
        throw new Error(`a schema of ${method} ${url} does not compile`, { cause: error })
      }
      compiled += serialized.length
    }
    expect(compiled).toBeGreaterThan(500)
  })

  test('a faulty schema throws when it is compiled, not before', () => {
    const faulty = { type: 'wrong' }
    const validate = compileBody(faulty)
    expect(() => compileBody.now(faulty)).toThrow(/type/)
    expect(() => validate({})).toThrow(/type/)
  })

  test('the faults are those of the last value', () => {
    const validate = compileBody({ type: 'object', required: ['name'] })
    expect(validate({})).toBe(false)
    expect(validate.errors).toMatchObject([{ keyword: 'required' }])
    expect(validate({ name: 1 })).toBe(true)
    expect(validate.errors).toBeNull()
  })
})

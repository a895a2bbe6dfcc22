import { describe, expect, test } from 'vitest'
import { isPlain, wordsOfError } from './error-words.ts'
import { identityForms, type IdentityField } from '../../../domain/clouds/identity-forms.ts'
import { fieldWords } from './field-words.ts'

const error = (
  code: string,
  message = '',
  details: Array<{ path: string; message: string }> = [],
) => ({
  code,
  message,
  details,
})

describe('the words of an error', () => {
  test('come from its code, with what solves it', () => {
    expect(wordsOfError(error('no_configuration', 'PUT /api/workspaces/1/configuration'))).toEqual({
      text: 'This workspace has no files yet. Add its files before you start a run.',
      items: [],
      action: { label: 'Add files', tab: 'files' },
    })
  })

  test('have the facts of the service where they are plain', () => {
    const plain = 'There is a workspace named shop already.'
    expect(wordsOfError(error('name_taken', plain)).text).toBe(plain)
  })

  test.each([
    'Set gitConnectionId to another one.',
    'Leave them running with ?abandon=true.',
    'Send it to /api/workspaces.',
    'The role needs mutate_infra.',
    'This Idempotency-Key was sent before.',
  ])('never have names of the API: %s', (message) => {
    expect(isPlain(message)).toBe(false)
    expect(wordsOfError(error('invalid', message)).text).toBe(
      'Something in the form is not valid. Check it and try again.',
    )
    expect(wordsOfError(error('of_tomorrow', message)).text).toBe('It did not work. Try again.')
  })

  test('keep what a person wrote', () => {
    expect(isPlain('The file "my_module.tf" was refused.')).toBe(true)
  })

  test('keep the name of a file that a person chose', () => {
    const message = 'The configuration was refused: my_module.tf has a block encryption.'
    expect(wordsOfError(error('configuration_refused', message)).text).toBe(message)
    expect(wordsOfError(error('configuration_refused', 'PUT /api/x')).text).toBe(
      'The files were refused.',
    )
  })

  test('name what is in the way, as a person named it, also where it is one', () => {
    const details = [{ path: 'workspaces/7', message: 'shop_live' }]
    expect(wordsOfError(error('account_in_use', 'x', details))).toMatchObject({
      items: [{ name: 'Workspace', text: 'shop_live' }],
      action: { label: 'Open workspaces' },
    })
    const pipelines = [{ path: 'pipelines/7', message: 'shop_live' }]
    expect(wordsOfError(error('workspace_in_use', 'x', pipelines)).items).toEqual([
      { name: 'Pipeline', text: 'shop_live' },
    ])
  })

  test.each([
    ['credentials.roleArn', 'Role ARN: write it as arn:aws:iam::123456789012:role/name.'],
    [
      'runs.plan.clientId',
      'Application (client) id: write it as a UUID, such as 0b1f6471-1bf0-4dda-aec3-cb9272f09590.',
    ],
    [
      'credentials.serviceAccountEmail',
      'Service account: write it as name@project.iam.gserviceaccount.com.',
    ],
  ])('say how the identity %s of a cloud is written', (path, words) => {
    const field = path.split('.').at(-1) as IdentityField
    const details = [{ path, message: identityForms[field].form }]
    expect(wordsOfError(error('validation_failed', 'x', details)).text).toBe(words)
  })

  test('name the fields as the page does', () => {
    const details = [{ path: 'costLimitMonthly', message: 'must be >= 0' }]
    expect(wordsOfError(error('validation_failed', 'x', details)).text).toBe(
      'Monthly cost limit: must be >= 0.',
    )
    expect(
      wordsOfError(
        error('validation_failed', 'x', [...details, { path: 'name', message: 'is required' }]),
      ).items,
    ).toEqual([
      { name: 'Monthly cost limit', text: 'must be >= 0' },
      { name: 'Name', text: 'is required' },
    ])
    expect(fieldWords('rules.0.validFrom')).toBe('Valid from')
  })
})

import { expect, test } from 'vitest'
import { variablesOfInit } from './init-variables.ts'

const given = (...names: string[]) =>
  Object.keys(variablesOfInit(Object.fromEntries(names.map((name) => [name, 'value']))))

test('init has the variables of OpenTofu and the credentials of its module downloaders', () => {
  const names = [
    'TF_VAR_region',
    'TF_VAR_with-dash',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
    'AWS_REGION',
    'AWS_DEFAULT_REGION',
    'GOOGLE_OAUTH_ACCESS_TOKEN',
  ]
  expect(given(...names)).toEqual(names)
  expect(variablesOfInit({ TF_VAR_a: 'b', API_KEY: 'c' })).toEqual({ TF_VAR_a: 'b' })
})

test.each([
  // They name a program, a file of the configuration that names one, or a place of settings.
  'GOOGLE_API_USE_CLIENT_CERTIFICATE',
  'GOOGLE_API_CERTIFICATE_CONFIG',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES',
  'EXPERIMENTAL_GOOGLE_API_USE_S2A',
  'AWS_CONFIG_FILE',
  'AWS_PROFILE',
  'AWS_ENDPOINT_URL',
  'AWS_METADATA_URL',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'GIT_SSH_COMMAND',
  'BASH_ENV',
  'HOME',
  'PATH',
  // Only exact names, and nothing that nobody has thought of yet.
  'A_NAME_OF_NEXT_YEAR',
  'aws_access_key_id',
  'AWS_ACCESS_KEY_ID_',
  'X_AWS_ACCESS_KEY_ID',
  'AWS_REGION\n',
  'TF_VAR_',
  'TF_VAR_1',
  'TF_VAR_a=b',
  'TF_VAR_a\n',
  'XTF_VAR_a',
  'TF_CLI_ARGS_init',
  'constructor',
])('init does not have %j', (name) => {
  expect(given(name)).toEqual([])
})

import { describe, expect, test } from 'vitest'
import { faultOfPhase, faultOfVariableKey, isInPhase, isOtherStep } from './variables.ts'

/** Every variable by which a program that a run can start is known to run code or to ask elsewhere. */
const steering = `
TF_LOG TF_CLI_CONFIG_FILE TF_CLI_ARGS TF_CLI_ARGS_init TF_DATA_DIR TF_PLUGIN_CACHE_DIR TF_ENCRYPTION
TOFU_CPU_PROFILE TERRAFORM_CONFIG OTEL_TRACES_EXPORTER OTEL_EXPORTER_OTLP_ENDPOINT TF_REATTACH_PROVIDERS TF_TOKEN_app_terraform_io TF_WORKSPACE TF_HTTP_ADDRESS TF_VAR_ TF_VAR TF_VARS_x
CC_KEYRING CC_X LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT LD_DEBUG_OUTPUT KRB5_CONFIG KRB5_TRACE GSS_USE_PROXY SASL_PATH LDAPCONF P11_KIT_STRICT GCONV_PATH LOCPATH NLSPATH
GLIBC_TUNABLES HOSTALIASES RESOLV_HOST_CONF MALLOC_TRACE
GIT_SSH_COMMAND GIT_SSH GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 GIT_CONFIG_GLOBAL
GIT_EXEC_PATH GIT_ASKPASS GIT_PROXY_COMMAND GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR GIT_TEMPLATE_DIR
GIT_TERMINAL_PROMPT GIT_ALLOW_PROTOCOL GIT_DIR GIT_WORK_TREE GIT_SSL_NO_VERIFY GIT_SEQUENCE_EDITOR
SSH_ASKPASS SSH_AUTH_SOCK SSH_ASKPASS_REQUIRE PAGER MANPAGER EDITOR VISUAL BROWSER SHELL LESSOPEN
LESSCLOSE HGRCPATH HG_EDITOR SVN_SSH GNUPGHOME PROMPT_COMMAND MY_COMMAND COMMAND SUDO_ASKPASS
BASH_ENV BASH_FUNC_ls BASHOPTS BASH ENV IFS PS1 PS4 SHELLOPTS CDPATH GLOBIGNORE ZDOTDIR
GODEBUG GOFLAGS GOPROXY GOPATH GOROOT GOTRACEBACK GOMEMLIMIT GOENV GO111MODULE GO_EXTLINK_ENABLED
CGO_CFLAGS PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTHONINSPECT NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS
NPM_CONFIG_PREFIX PERL5OPT PERL5LIB PERLLIB RUBYOPT RUBYLIB GEM_HOME BUNDLE_GEMFILE PHPRC
JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS MAVEN_OPTS DOTNET_STARTUP_HOOKS CORECLR_PROFILER
PATH HOME PWD USER TMPDIR NETRC XDG_CONFIG_HOME CURL_HOME
SSL_CERT_FILE SSL_CERT_DIR OPENSSL_CONF OPENSSL_MODULES SSLKEYLOGFILE CURL_CA_BUNDLE AWS_CA_BUNDLE
REQUESTS_CA_BUNDLE HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY FTP_PROXY GIT_HTTP_PROXY
AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES
GOOGLE_API_USE_CLIENT_CERTIFICATE GOOGLE_API_CERTIFICATE_CONFIG GOOGLE_API_USE_MTLS_ENDPOINT EXPERIMENTAL_GOOGLE_API_USE_S2A
`
  .trim()
  .split(/\s+/)

/** What providers are given in practice. */
const common = `
LDAP_HOST LDAP_BIND_PASSWORD AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_REGION AWS_DEFAULT_REGION AWS_ROLE_ARN
ARM_CLIENT_ID ARM_CLIENT_SECRET ARM_TENANT_ID ARM_SUBSCRIPTION_ID ARM_USE_OIDC AZURE_CLIENT_ID
GOOGLE_CREDENTIALS GOOGLE_API_KEY GOOGLE_PROJECT GOOGLE_REGION GOOGLE_APPLICATION_CREDENTIALS GOOGLE_OAUTH_ACCESS_TOKEN
GITHUB_TOKEN GITHUB_OWNER GITLAB_TOKEN CLOUDFLARE_API_TOKEN DATADOG_API_KEY DD_APP_KEY DIGITALOCEAN_TOKEN
HCLOUD_TOKEN KUBE_CONFIG_PATH KUBE_HOST VAULT_ADDR VAULT_TOKEN PGPASSWORD PGHOST DATABASE_URL API_KEY
GODADDY_API_KEY OS_AUTH_URL OS_PASSWORD FASTLY_API_KEY NEW_RELIC_API_KEY SNOWFLAKE_USER LANG A A1 FOO_BAR
`
  .trim()
  .split(/\s+/)

describe('faultOfVariableKey', () => {
  test.each(steering)('env %s is refused, in upper and in lower case', (key) => {
    for (const form of new Set([key, key.toLowerCase(), key[0] + key.slice(1).toLowerCase()]))
      expect(faultOfVariableKey('env', form), form).toMatchObject({
        code: 'variable_refused',
        message: expect.stringContaining(`${form} is refused`),
      })
  })

  test.each(common)('env %s may stand', (key) => {
    expect(faultOfVariableKey('env', key)).toBeUndefined()
  })

  test('TF_VAR_ with a name, of any case; other names in upper case alone', () => {
    for (const key of ['TF_VAR_region', 'TF_VAR_Region_2', 'TF_VAR__x', 'TF_VAR_path'])
      expect(faultOfVariableKey('env', key), key).toBeUndefined()
    for (const key of [
      'region',
      'Region',
      '_JAVA_OPTION',
      '1A',
      'A-B',
      'A B',
      'A=B',
      'Ä',
      'A\n',
      '',
      'A.B',
      'BASH_FUNC_x%%',
    ])
      expect(faultOfVariableKey('env', key)?.code, key).toMatch(/^(invalid|variable_refused)$/)
  })

  test('a Terraform variable has any name, since it is passed as TF_VAR_…', () => {
    for (const key of ['path', 'GIT_SSH_COMMAND', 'bash-env', '_x'])
      expect(faultOfVariableKey('terraform', key), key).toBeUndefined()
    for (const key of ['1a', 'a b', 'a=b', 'ä', ''])
      expect(faultOfVariableKey('terraform', key)?.code, key).toBe('invalid')
  })
})

describe('phases', () => {
  test('a step is given the variables of its phase and of both', () => {
    expect(isInPhase('both', 'plan') && isInPhase('both', 'apply')).toBe(true)
    expect(isInPhase('plan', 'plan') && isInPhase('apply', 'apply')).toBe(true)
    expect(isInPhase('plan', 'apply') || isInPhase('apply', 'plan')).toBe(false)
  })

  test.each([
    ['both', 'plan', false],
    ['both', 'apply', false],
    ['apply', 'apply', false],
    ['apply', 'plan', true],
    ['apply', 'both', true],
    ['plan', 'apply', true],
    ['plan', 'both', true],
  ] as const)('a change from %s to %s gives it to another step: %s', (from, to, is) => {
    expect(isOtherStep(from, to)).toBe(is)
  })

  test('variables of OpenTofu have both, by either way of setting them', () => {
    for (const phase of ['plan', 'apply'] as const) {
      expect(faultOfPhase({ kind: 'terraform', key: 'a' }, phase)).toContain('plan and apply alike')
      expect(faultOfPhase({ kind: 'env', key: 'TF_VAR_a' }, phase)).toContain(
        'plan and apply alike',
      )
      expect(faultOfPhase({ kind: 'env', key: 'API_KEY' }, phase)).toBeUndefined()
    }
    expect(faultOfPhase({ kind: 'terraform', key: 'a' }, 'both')).toBeUndefined()
  })
})

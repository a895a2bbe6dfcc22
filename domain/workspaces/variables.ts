/** Why a variable cannot have this key; undefined if it can. */
export function faultOfVariableKey(
  kind: 'terraform' | 'env',
  key: string,
): { code: 'invalid' | 'variable_refused'; message: string } | undefined {
  if (kind === 'terraform')
    return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(key)
      ? undefined
      : {
          code: 'invalid',
          message:
            'a Terraform variable begins with a letter or "_" and has letters, digits, "_" and "-"',
        }
  if (/^TF_VAR_[A-Za-z_][A-Za-z0-9_]*$/.test(key)) return undefined
  // Programs read lower case too (`http_proxy`); that reason is given before the one about its shape.
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(key) && steersPrograms(key.toUpperCase()))
    return {
      code: 'variable_refused',
      message: `${key} is refused: it would change which programs a run starts, or whom they ask. ${refusedInWords}`,
    }
  return /^[A-Z][A-Z0-9_]*$/.test(key)
    ? undefined
    : {
        code: 'invalid',
        message:
          'an environment variable has upper-case letters, digits and "_" and begins with a letter',
      }
}

export type VariablePhase = 'plan' | 'apply' | 'both'

/** Whether a program of this step is given the variable. */
export const isInPhase = (phase: VariablePhase, step: 'plan' | 'apply'): boolean =>
  phase === 'both' || phase === step

/** Whether a change from one phase to another gives the variable to a step that did not get it before. */
export const isOtherStep = (from: VariablePhase, to: VariablePhase): boolean =>
  from !== to && from !== 'both'

type Named = { kind: 'terraform' | 'env'; key: string }

const prefix = 'TF_VAR_'

/** The name under which OpenTofu reads the variable and a run overrides it; undefined for one that only programs read. */
function nameInOpenTofu({ kind, key }: Named): string | undefined {
  if (kind === 'terraform') return key
  return key.startsWith(prefix) ? key.slice(prefix.length) : undefined
}

/** Whether OpenTofu reads the variable, as text, JSON or HCL. */
export const isOfOpenTofu = (variable: Named): boolean => nameInOpenTofu(variable) !== undefined

/** The names under which OpenTofu reads those that are sensitive. */
export const sensitiveNames = (
  variables: ReadonlyArray<Named & { sensitive: boolean }>,
): ReadonlySet<string> =>
  new Set(
    variables.flatMap((variable) => (variable.sensitive ? (nameInOpenTofu(variable) ?? []) : [])),
  )

/**
 * Why a variable cannot have this phase. OpenTofu stores its variables in the plan, but an apply that is
 * given another value uses that one: the applied plan would not be the approved one.
 */
export function faultOfPhase(
  variable: { kind: 'terraform' | 'env'; key: string },
  phase: VariablePhase,
): string | undefined {
  return phase === 'both' || !isOfOpenTofu(variable)
    ? undefined
    : 'A variable of OpenTofu is given to plan and apply alike, since both must have the same values. Only an environment variable can be for one of them.'
}

const refusedInWords =
  'So are TF_* (but TF_VAR_*), TOFU_*, TERRAFORM_*, OTEL_*, CC_*, LD_*, GIT_*, BASH*, GO* (but GOOGLE_* and the like), PYTHON*, NODE_*, PERL*, RUBY*, PATH, HOME, SSL_CERT_*, *_PROXY, *_COMMAND, *_OPTIONS and others of that kind'

/**
 * By patterns, because no list of names is ever complete. Each lets an attacker run code or redirect
 * requests in a step that must not run the author's code: `init` can reach private repositories.
 */
const refused: readonly RegExp[] = [
  // OpenTofu's and this service's own.
  /^(TF|TOFU|TERRAFORM|OTEL)_/,
  /^CC_/,
  // The loader and the C library: LD_PRELOAD, GCONV_PATH, LOCPATH, GLIBC_TUNABLES, HOSTALIASES.
  /^LD_/,
  /^(GCONV_PATH|LOCPATH|NLSPATH|GLIBC_TUNABLES|HOSTALIASES|LOCALDOMAIN|RESOLV_\w*|MALLOC_\w*|TZDIR)$/,
  // Programs that git, ssh and pagers start.
  /^(GIT|SSH|GPG|HG|SVN)_/,
  /^(GITPERLLIB|HGRCPATH|HGPLAIN|HGENCODING|GNUPGHOME)$/,
  /(^|_|MAN)(COMMAND|ASKPASS|EDITOR|PAGER|SHELL)$/,
  /^(VISUAL|BROWSER|LESS\w*|MORE|TERM\w*)$/,
  // Shells.
  /^BASH/,
  /^(ENV|IFS|PS[0-9]|SHELLOPTS|CDPATH|GLOBIGNORE|FPATH|ZDOTDIR|POSIXLY_CORRECT)$/,
  // Runtimes. Go's names have no "_", or begin with GO_; GOOGLE_CREDENTIALS is a provider's.
  /^GO[A-Z0-9]*$/,
  /^(GO|CGO)_/,
  /^(PYTHON|PERL|RUBY|GEM_|BUNDLE_|NODE_|NPM_|LUA_|PHP)/,
  /^(JAVA_TOOL|JDK_JAVA|DOTNET|CORECLR|COMPLUS)_/,
  /_(OPTIONS|OPTS|FLAGS)$/,
  // Where programs, files and settings are looked for.
  /^(PATH|HOME|PWD|OLDPWD|USER|LOGNAME|TMP|TEMP|TMPDIR|NETRC)$/,
  /^(XDG|CURL|SUDO)_/,
  // Certificates that a connection trusts, and proxies that it uses.
  /^SSL_CERT_/,
  /^(OPENSSL_|SSLKEYLOGFILE$)/,
  /_CA_BUNDLE$/,
  // Libraries that load modules from where their settings say: Kerberos, SASL, LDAP, PKCS 11.
  /^(KRB5|GSS|SASL|LDAP[A-Z]|GNUTLS|P11_KIT)/,
  /(^|_)PROXY$/,
  // Credentials that are obtained by running a command: `credential_process`, and Google's executable source.
  /^AWS_(CONFIG|SHARED_CREDENTIALS)_FILE$/,
  /^GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES$/,
  // Google's client certificates, which a program makes that a file names. GOOGLE_API_KEY is a provider's.
  /^(EXPERIMENTAL_)?GOOGLE_API_(CERTIFICATE|USE)_/,
]

const steersPrograms = (key: string): boolean => refused.some((shape) => shape.test(key))

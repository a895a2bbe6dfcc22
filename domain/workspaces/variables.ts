/** What is wrong with a variable's key, or undefined when it may stand. */
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
  // What a program reads in lower case as well (`http_proxy`) is told why before its shape is.
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

/**
 * Why a variable cannot have this phase. OpenTofu keeps the values of its variables in the plan, and
 * lets an apply that is given another one use that: what is applied would not be what was approved.
 */
export function faultOfPhase(
  { kind, key }: { kind: 'terraform' | 'env'; key: string },
  phase: VariablePhase,
): string | undefined {
  return phase === 'both' || (kind === 'env' && !key.startsWith('TF_VAR_'))
    ? undefined
    : 'A variable of OpenTofu is given to plan and apply alike, since both must have the same values. Only an environment variable can be for one of them.'
}

const refusedInWords =
  'So are TF_* (but TF_VAR_*), CC_*, LD_*, GIT_*, BASH*, GO* (but GOOGLE_* and the like), PYTHON*, NODE_*, PERL*, RUBY*, PATH, HOME, SSL_CERT_*, *_PROXY, *_COMMAND, *_OPTIONS and others of that kind'

/**
 * By shape, for no list of single names is ever whole. Each of these lets whoever sets it run
 * code, or send requests elsewhere, in a step that is to run none of the author's code: `init`
 * holds the way to private repositories.
 */
const refused: readonly RegExp[] = [
  // OpenTofu's and this service's own.
  /^TF_/,
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
  // Whom a connection trusts, and by whom it goes.
  /^SSL_CERT_/,
  /^(OPENSSL_|SSLKEYLOGFILE$)/,
  /_CA_BUNDLE$/,
  /(^|_)PROXY$/,
  // Credentials that are a command: `credential_process` of a file, and Google's executable source.
  /^AWS_(CONFIG|SHARED_CREDENTIALS)_FILE$/,
  /^GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES$/,
]

const steersPrograms = (key: string): boolean => refused.some((shape) => shape.test(key))

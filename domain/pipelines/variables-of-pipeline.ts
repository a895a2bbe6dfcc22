import { faultOfVariableKey } from '../workspaces/variables.ts'

export type PipelineVariablePhase = 'build' | 'deploy'

/**
 * Why a variable of a pipeline cannot have this key; undefined if it can. The rules are those of
 * environment variables of a workspace, but that a credential of a package registry (`NPM_TOKEN`,
 * `NODE_AUTH_TOKEN`) is what builds need, and steers no program.
 */
export function faultOfPipelineKey(key: string): ReturnType<typeof faultOfVariableKey> {
  // OpenTofu's, which an application has not.
  if (key.startsWith('TF_VAR_'))
    return {
      code: 'variable_refused',
      message: `${key} is refused: names that begin with TF_VAR_ belong to OpenTofu`,
    }
  return isCredential(key) ? undefined : faultOfVariableKey('env', key)
}

const isCredential = (key: string): boolean =>
  /^(NPM|NODE|GEM|BUNDLE|PYTHON|RUBY|PHP|GIT)_[A-Z0-9_]*(TOKEN|PASSWORD|SECRET)$/.test(key) &&
  !key.startsWith('GIT_CONFIG')

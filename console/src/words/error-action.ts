/** Where an error is solved. The places of a workspace are shown where the page knows the workspace. */
export type ErrorAction = { label: string } & (
  | { tab: 'files' | 'git' | 'runs' | 'variables' }
  | {
      to:
        | '/organization/git'
        | '/organization/sso'
        | '/organization/tokens'
        | '/cost/bills'
        | '/workspaces'
    }
)

/**
 * What the console says about an error. `withFacts`: the service's own sentence is shown, because it has
 * a name, a number or a reason that `text` cannot have. `text` is shown if that sentence has words of
 * the API. `names`: the sentence has names that a person chose, such as `my_module.tf`.
 */
export type ErrorWords = string | { text: string; withFacts?: true | 'names'; action?: ErrorAction }

/** Why a production plan waits for a second person before it is made (docs/runs.md, "Before a plan"). */
export type UnseenCause = 'files' | 'variables' | 'modules' | 'unknown_modules'

/** `version` of the files. */
export const unseenInWords = (cause: UnseenCause, version: number): string => words[cause](version)

const words: Record<UnseenCause, (version: number) => string> = {
  files: (version) => `Only its author has seen version ${version} of the files.`,
  variables: (version) =>
    `Version ${version} of the files was approved with other values of variables, or in another folder, and values can choose which code a plan runs.`,
  modules: (version) =>
    `Version ${version} of the files calls modules that are not part of them and can change after an approval, so each of its plans waits.`,
  unknown_modules: (version) =>
    `Version ${version} of the files was stored before it was noted whether their modules can change, so each of its plans waits until the same files are saved or read again.`,
}

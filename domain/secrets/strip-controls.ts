// CSI and OSC sequences, then every control character but the tab. Linear: no two parts of it
// accept the same character, so there is nothing to try again.
const controls = new RegExp(
  String.raw`\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[\u0000-\u0008\u000a-\u001f\u007f-\u009f]`,
  'g',
)

/**
 * Removes colours and control characters. Must run before the masks: a secret with a control character
 * inside would pass them, and be whole once the character is removed.
 */
export const stripControls = (text: string): string => text.replace(controls, '')

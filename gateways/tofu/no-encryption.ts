/**
 * `TF_ENCRYPTION` of every step. It overrides an `encryption` block for plan and state, the fallback included
 * (OpenTofu 1.12, internal/encryption/config/config_merge.go), so an undetected block cannot choose a program
 * that reads the plan file. With `enforced = true` in a block OpenTofu refuses to work.
 */
export const noEncryption = `method "unencrypted" "cloud_control" {}
state {
  method = method.unencrypted.cloud_control
  fallback {
    method = method.unencrypted.cloud_control
  }
}
plan {
  method = method.unencrypted.cloud_control
  fallback {
    method = method.unencrypted.cloud_control
  }
}
`

/** Whether a line of `-json` output is OpenTofu's warning about the setting above. */
export const isOfNoEncryption = (line: string): boolean =>
  line.startsWith('{"@level":"warn","@message":"Warning: Unencrypted method configured"')

/**
 * OpenTofu's `TF_ENCRYPTION` of every step. What it names wins over an `encryption` block for plan
 * and state, the fallback included (OpenTofu 1.12, internal/encryption/config/config_merge.go), so
 * a block that was not found does not choose by which program a plan file is read. A block with
 * `enforced = true` makes OpenTofu refuse to work.
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

/** Whether a line of `-json` output is OpenTofu's warning about the setting above, which is ours. */
export const isOfNoEncryption = (line: string): boolean =>
  line.startsWith('{"@level":"warn","@message":"Warning: Unencrypted method configured"')

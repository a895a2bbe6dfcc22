/** A slow apply: the resource's provisioner sleeps in the sandbox. */
export const slowApply = (seconds: number) => ({
  'main.tf': `resource "terraform_data" "first" { input = "one" }
resource "terraform_data" "slow" {
  depends_on = [terraform_data.first]
  provisioner "local-exec" { command = "sleep ${seconds}" }
}
output "word" { value = terraform_data.first.output }
`,
})

/** An apply that lasts until a test ends its `sleep`; it succeeds then. */
export const heldApply = {
  'main.tf': slowApply(0)['main.tf'].replace('sleep 0', 'sleep 86400 || true'),
}

/** A slow plan: it hashes for seconds, which needs nothing outside the sandbox. */
export const slowPlan = (rounds: number) => ({
  'main.tf': `locals {
  work = [for a in range(${rounds}) : length([for b in range(1024) : sha512("\${a}/\${b}")])]
}
resource "terraform_data" "one" { input = sum(local.work) }
`,
})

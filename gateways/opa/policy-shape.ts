import { policyLimits } from './policy-limits.ts'

/**
 * What is checked of a policy's syntax tree (`opa parse`), which is its input: `data.shape.summary` is
 * `{ package, path, rules, faulty }`, each with a `row` and `col`, except `rules`: the number of rules that are, or
 * are part of, `deny` or `warn`. `faulty` are the first of those that are no set of messages. Of all rules only
 * `deny contains m` has a key; `deny.x contains m` has one too, but is an object.
 */
export const shapeRego = `package shape

summary := {
  "package": place(input["package"]),
  "path": [object.union({"value": term.value}, place(term)) | some term in input["package"].path],
  "rules": count(named),
  "faulty": array.slice(faulty, 0, ${policyLimits.errors}),
}

named := [rule | some rule in input.rules; rule.head.ref[0].value in {"deny", "warn"}]

faulty := [object.union({"name": rule.head.ref[0].value}, place(rule)) |
  some rule in named
  not is_set(rule)
]

is_set(rule) if {
  "key" in object.keys(rule.head)
  count(rule.head.ref) == 1
}

place(node) := object.filter(
  object.get(node, "location", object.get(node, ["head", "location"], {})),
  ["row", "col"],
)
`

import { Choice } from './choice.tsx'

type Props<Value extends string> = {
  name: string
  /** The question that a choice answers. */
  legend: string
  options: ReadonlyArray<{ value: Value; label: string; words: string }>
  value: Value
  onChange: (value: Value) => void
}

/** One of some options, each with a sentence that says what it does. */
export const Choices = <Value extends string>({
  name,
  legend,
  options,
  value,
  onChange,
}: Props<Value>) => (
  <fieldset className="choices">
    <legend>{legend}</legend>
    {options.map((one) => (
      <Choice
        key={one.value}
        {...one}
        name={name}
        checked={value === one.value}
        onChange={() => onChange(one.value)}
      />
    ))}
  </fieldset>
)

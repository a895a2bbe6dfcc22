import { useState } from 'react'

type Form<T> = {
  /** What the untouched fields show, and what was saved of the others. */
  was: T
  /** The newest stored values. */
  seen: T
  /** Another person's change makes them differ from `was`. */
  news: boolean
  /** The key of the fields, which begin anew with each. */
  turn: number
  touched: boolean
  /** Whether a field was touched after the last save was sent. */
  touchedSince: boolean
  saved: boolean
}

/**
 * A form of uncontrolled fields over values that other people change too. While nobody types, it shows what
 * is stored. What a person typed stays, also what they typed during a save. A save sends what differs from
 * `was`, which follows the fields and not the service: a field that still shows an older value would
 * otherwise be sent, and revert the change of another person (lost update). `textOf` has the values of the
 * fields as a text.
 */
export function useStoredForm<T extends object>(stored: T, textOf: (values: T) => string) {
  const [form, setForm] = useState<Form<T>>({
    was: stored,
    seen: stored,
    news: false,
    turn: 0,
    touched: false,
    touchedSince: false,
    saved: false,
  })
  if (textOf(stored) !== textOf(form.seen))
    setForm({ ...form, seen: stored, news: textOf(stored) !== textOf(form.was) })
  else if (form.news && !form.touched) setForm(begunWith(form, form.seen))
  return {
    was: form.was,
    turn: form.turn,
    saved: form.saved,
    overtaken: form.news && form.touched,
    showStored: () => setForm((now) => ({ ...begunWith(now, now.seen), touched: false })),
    onTouch: () => setForm((now) => ({ ...now, touched: true, touchedSince: true, saved: false })),
    onSend: () => setForm((now) => ({ ...now, touchedSince: false })),
    /**
     * `sentOf`: the fields of the request; those that the request names in part, completed with what the form
     * was. `answered`: all values, as they are stored after it.
     */
    onSaved: (sentOf: (was: T) => object, answered: T) =>
      setForm((now) => {
        const was = { ...now.was, ...sentOf(now.was) }
        const news = textOf(answered) !== textOf(was)
        if (now.touchedSince) return { ...now, was, news }
        const saved = { ...now, was, news: false, touched: false, saved: true }
        return news ? begunWith(saved, answered) : saved
      }),
  }
}

const begunWith = <T>(form: Form<T>, was: T): Form<T> => ({
  ...form,
  was,
  news: false,
  turn: form.turn + 1,
})

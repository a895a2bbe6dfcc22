/** Wakes a run after an approval, a rejection, a cancel or a voided approval. It carries nothing. */
export const decidedSignal = 'decided'

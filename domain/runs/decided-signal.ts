/** Wakes a run after an approval, a rejection, a cancel or a voided approval, or for a free slot. It carries nothing. */
export const decidedSignal = 'decided'

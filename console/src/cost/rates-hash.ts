/** The place of the exchange rates on the page of bills. */
export const ratesHash = 'exchange-rates'

// Where we differ from Dovecot 2.3 on purpose, by message and item, with the reason.

export const explained = new Map([
  [
    'parameter-stale-index BODYSTRUCTURE',
    // "a*1=y; name*=utf-8''z": Dovecot takes name's index over from the parameter before it, finds that
    // name*0 is missing, and shows "name*1*". Its value is whole, so we show "name*".
    'RFC 2231 continuation numbers do not carry over to the next parameter',
  ],
]);

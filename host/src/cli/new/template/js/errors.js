// {{name}}: an error decoder.
//
// `decode` turns one ecosystem's raw failures into words, and says nothing about those it does not know. It imports
// nothing and keeps nothing between calls. `wit/errors.wit` documents each item.

export const decoder = {
  decode(failure) {
    if (failure.tag !== 'guest') return undefined;
    // Replace this kind by those of your ecosystem's runtime.
    if (failure.val.kind !== 'Busy') return undefined;
    return { message: `\`${failure.val.method}\` is busy`, class: 'temporary', retry: 'later', hint: undefined };
  },
};

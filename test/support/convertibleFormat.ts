import type { TextFormatId } from '../../src/wire/apis/textFormats.ts';

/** A format that the local gateway converts to and from the others. */
export type ConvertibleFormat = Exclude<TextFormatId, 'interactions'>;

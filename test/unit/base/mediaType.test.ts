import assert from 'node:assert/strict';
import { sniffMedia } from '../../../src/base/mediaType.ts';

describe('the media type of a file', () => {
  const known: readonly (readonly [begins: string, mimeType: string, extension: string])[] = [
    ['\x89PNG\r\n\x1a\n', 'image/png', 'png'],
    ['\xff\xd8\xff\xe0\0\x10JFIF', 'image/jpeg', 'jpg'],
    ['GIF89a', 'image/gif', 'gif'],
    ['RIFF\x01\x02\x03\x04WEBPVP8 ', 'image/webp', 'webp'],
    ['RIFF\x01\x02\x03\x04WAVEfmt ', 'audio/wav', 'wav'],
    ['RIFF\x01\x02\x03\x04AVI LIST', 'video/x-msvideo', 'avi'],
    ['\0\0\0\x20ftypisom', 'video/mp4', 'mp4'],
    ['\0\0\0\x18ftypmp42', 'video/mp4', 'mp4'],
    ['\0\0\0\x14ftypqt  ', 'video/quicktime', 'mov'],
    ['\0\0\0\x08wide\0\0\x10\0mdat', 'video/quicktime', 'mov'],
    ['\0\0\0\x1cftypM4A ', 'audio/mp4', 'm4a'],
    ['\0\0\0\x1cftypavif', 'image/avif', 'avif'],
    ['\0\0\0\x18ftypheic', 'image/heic', 'heic'],
    ['\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm', 'video/webm', 'webm'],
    ['\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x88matroska', 'video/x-matroska', 'mkv'],
    ['ID3\x04\0', 'audio/mpeg', 'mp3'],
    ['\xff\xfb\x90\x64', 'audio/mpeg', 'mp3'],
    ['\xff\xf1\x50\x80', 'audio/aac', 'aac'],
    ['OggS\0\x02', 'audio/ogg', 'ogg'],
    ['fLaC\0\0', 'audio/flac', 'flac'],
  ];
  for (const [begins, mimeType, extension] of known) {
    it(`is ${mimeType} if it begins with ${JSON.stringify(begins).slice(0, 30)}`, () => {
      const type = sniffMedia(Buffer.from(begins, 'latin1'));
      assert.deepEqual([type?.mimeType, type?.extension], [mimeType, extension]);
      assert.equal(type?.kind, mimeType.split('/')[0]);
    });
  }

  for (const begins of [
    '',
    'G',
    '<html>',
    '{"error":{}}',
    '<svg xmlns=',
    'MZ\x90',
    '%PDF-1.7',
    'PK\x03\x04',
    '\0\0\0\0',
    // Pages that a less strict reader takes for a picture and a sound, in Latin and in UTF-16.
    'GIF<html><body>',
    '\xff\xfe<\0h\0t\0m\0l\0>\0',
  ]) {
    it(`is unknown if it begins with ${JSON.stringify(begins)}`, () => {
      assert.equal(sniffMedia(Buffer.from(begins, 'latin1')), undefined);
    });
  }
});

/** Why a conversation, or a whole file, was not imported, and what of a conversation was not as it should be. */
export const importSentences = {
  'import-unknown-format':
    'The file has no conversations in a format that can be imported. Choose an export of ChatGPT, Claude, Open WebUI, LibreChat, VS Code, ShareGPT or this extension, or Markdown with front matter.',
  'import-empty': 'The file is empty.',
  'import-no-conversations': 'There are no conversations in the file.',
  'import-newer-version':
    'The file was written by a newer version of this extension (its format is number {version}): update the extension, then import it again.',
  'import-cut': 'The file is incomplete: its end is missing. Export it again, or download it again.',
  'import-unreadable': 'The file cannot be read any further: {cause}',
  'import-not-json': 'This is not valid JSON: {cause}',
  'import-not-a-conversation': 'This is not a conversation in a format that can be imported.',
  'import-damaged': 'This conversation is damaged: {member} is missing or invalid.',
  'import-no-messages': 'There are no messages in this conversation.',
  'import-rest-unread': 'The text from here on belongs to no conversation and was skipped.',
  'import-conversations-missing':
    'The file held {count} conversations when it was written: some are missing.',
  'import-too-large': 'This conversation is larger than {maxBytes}.',
  'import-too-deep': 'This conversation is nested too deeply.',
  'import-archive-damaged': 'The zip file is damaged: {cause}',
  'import-archive-encrypted': '{member} is encrypted in the zip file: unpack it, then import the files.',
  'import-archive-too-large':
    'The contents of the zip file are far too large for its size: reading stopped. Unpack it, then import the files.',
  'import-folder-unknown':
    'There are no files in the folder with conversations in a format that can be imported. A zip file is imported by itself.',
  'import-folder-too-large':
    'There are far more files in the folder than in an export: choose the folder that the export was unpacked into.',
  'import-archive-needs-file':
    'A zip file can be imported only from a place where it can be read in any order.',
  'import-ended':
    'The import ended early ({cause}). Import the file again; chats that are already there are not changed.',
  'import-not-kept': 'This conversation could not be saved: {cause}',
  'import-disk-full':
    'The disk is full. Free some space, then import the file again; chats that are already there are not changed.',
  'import-store-unwritable':
    'Chats cannot be saved here ({cause}). Import the file again later; chats that are already there are not changed.',

  'import-attachments-missing': 'Attachments that were not in the file: {count}.',
  'import-attachments-damaged': 'Attachments that are damaged, and were left out: {count}.',
  'import-times-unknown': 'Messages without a valid time, which got the time of a neighbour: {count}.',
  'import-parents-missing':
    'Messages that follow one that is not in the file, and now begin a branch of their own: {count}.',
  'import-cycles-cut': 'Messages in a cycle, which was cut: {count}.',
  'import-ids-repeated': 'Messages with a duplicate ID, which got a new one: {count}.',
  'import-fields-dropped': 'Invalid values, which were skipped: {count}.',
  'import-parts-unknown': 'Parts of an unknown kind, which are stored but not shown: {count}.',
  'import-characters-replaced': 'Some characters were damaged, and were replaced.',
} as const;

/** Why a conversation, or a whole file, was not imported, and what of a conversation was not as it should be. */
export const importSentences = {
  'import-unknown-format':
    'The file holds no conversations in a format that can be imported. Choose an export of ChatGPT, Claude, Open WebUI, LibreChat, VS Code, ShareGPT or this extension, or Markdown with front matter.',
  'import-empty': 'The file is empty.',
  'import-no-conversations': 'There are no conversations in the file.',
  'import-newer-version':
    'The file was written by a newer version of this extension (its format is number {version}): update the extension, then import it again.',
  'import-cut':
    'The file ends in the middle: what follows is missing. Export it again, or download it again.',
  'import-unreadable': 'The file cannot be read any further: {cause}',
  'import-not-json': 'This is no valid JSON: {cause}',
  'import-not-a-conversation': 'This is no conversation in a format that can be imported.',
  'import-damaged': 'This conversation is damaged: {member} is missing or is not what it should be.',
  'import-no-messages': 'There are no messages in this conversation.',
  'import-rest-unread': 'What follows here belongs to no conversation, and was not read.',
  'import-conversations-missing':
    'The file held {count} conversations when it was written: some are missing.',
  'import-too-large': 'This conversation is larger than {maxBytes}.',
  'import-too-deep': 'This conversation is nested too deeply.',
  'import-archive-damaged': 'The zip file is damaged: {cause}',
  'import-archive-encrypted': '{member} is encrypted in the zip file: unpack it, then import what is in it.',
  'import-archive-too-large':
    'What is packed into the zip file is far too large for its size: reading stopped. Unpack it, then import what is in it.',
  'import-folder-unknown':
    'There are no files in the folder with conversations in a format that can be imported. A zip file is imported by itself.',
  'import-folder-too-large':
    'There are far more files in the folder than in an export: choose the folder that the export was unpacked into.',
  'import-archive-needs-file':
    'A zip file can be imported only from a place where it can be read in any order.',
  'import-ended':
    'The import ended early ({cause}). Import the file again: what is there already stays as it is.',
  'import-not-kept': 'This conversation could not be kept: {cause}',
  'import-disk-full':
    'The disk is full. Make room, then import the file again: what is there already stays as it is.',
  'import-store-unwritable':
    'Chats cannot be written here ({cause}). Import the file again later: what is there already stays as it is.',

  'import-attachments-missing': 'Attachments that were not in the file: {count}.',
  'import-attachments-damaged': 'Attachments that are damaged, and were left out: {count}.',
  'import-times-unknown':
    'Messages without a time that makes sense, which took that of a neighbour: {count}.',
  'import-parents-missing':
    'Messages that follow one that is not in the file, and now begin a branch of their own: {count}.',
  'import-cycles-cut': 'Messages that followed themselves in a circle, which was cut: {count}.',
  'import-ids-repeated': 'Messages with the id of another, which got a new one: {count}.',
  'import-fields-dropped': 'Values that are not what they should be, and were left out: {count}.',
  'import-parts-unknown': 'Parts of a kind that is not known here, which are kept but not shown: {count}.',
  'import-characters-replaced': 'Some characters were damaged, and were replaced.',
} as const;

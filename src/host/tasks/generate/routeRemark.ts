import * as vscode from 'vscode';
import type { Frame, Frames } from '../../../wire/apis/format/videoRoute.ts';
import { type VideoRouteId, videoRoute } from '../../../wire/apis/videoRoutes.ts';
import { listed } from '../../kit/display/listed.ts';
import { fieldName } from '../task/generateForm.ts';

type Path = readonly string[];

/** Names what the change of a form's route left behind; undefined where that is nothing. */
export function leftRemark(
  from: VideoRouteId,
  to: VideoRouteId,
  left: readonly Path[],
  frames: Frames,
): string | undefined {
  const { label, frames: taken } = videoRoute(to);
  const given = videoRoute(from).frames.filter((frame) => frames[frame] !== undefined);
  const pictures = given.filter((frame) => !taken.includes(frame));
  const names = [...left.map((path) => fieldName(from, path)), ...pictures.map(frameName)];
  return names.length === 0
    ? undefined
    : vscode.l10n.t('Left out, because {0} does not support it: {1}.', label, listed(names));
}

function frameName(frame: Frame): string {
  return frame === 'first' ? vscode.l10n.t('First frame') : vscode.l10n.t('Last frame');
}

import * as vscode from 'vscode';
import { generatePanelType } from '../contributions.ts';
import { openTab } from '../display/tabs.ts';
import type { FormMemory } from './formMemory.ts';
import { GeneratePanel, type GenerateServices } from './generatePanel.ts';
import { GenerateSession } from './generateSession.ts';

/** The open Generate pages. A window that is loaded anew opens them again. */
export class GeneratePanels implements vscode.WebviewPanelSerializer {
  readonly #extension: vscode.Uri;
  readonly #services: GenerateServices;
  readonly #memory: FormMemory;
  readonly #pages = new Set<GeneratePanel>();
  readonly #serializer: vscode.Disposable;
  #lastActive: GeneratePanel | undefined;

  constructor(context: vscode.ExtensionContext, services: GenerateServices, memory: FormMemory) {
    this.#extension = context.extensionUri;
    this.#services = services;
    this.#memory = memory;
    this.#serializer = vscode.window.registerWebviewPanelSerializer(generatePanelType, this);
  }

  /** The page in front, else the one that was there last. */
  get active(): GeneratePanel | undefined {
    return this.#lastActive;
  }

  /** Opens the page, or the one that is open already. */
  open(): GeneratePanel {
    const open = this.#lastActive;
    if (open) {
      open.panel.reveal();
      return open;
    }
    const title = vscode.l10n.t('Generate');
    return this.#add(
      openTab(generatePanelType, title, {
        enableScripts: true,
      }),
    );
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    this.#add(panel);
  }

  dispose(): void {
    this.#serializer.dispose();
    for (const { panel } of this.#pages) panel.dispose();
  }

  #add(panel: vscode.WebviewPanel): GeneratePanel {
    panel.iconPath = { light: this.#media('generate-light.svg'), dark: this.#media('generate-dark.svg') };
    const session = new GenerateSession(this.#services.connection, this.#memory);
    const dist = vscode.Uri.joinPath(this.#extension, 'dist');
    const page = new GeneratePanel(panel, session, dist, this.#services);
    this.#pages.add(page);
    this.#lastActive = page;
    panel.onDidChangeViewState(() => {
      if (panel.active) this.#lastActive = page;
    });
    panel.onDidDispose(() => {
      this.#pages.delete(page);
      if (this.#lastActive === page) this.#lastActive = [...this.#pages].at(-1);
    });
    return page;
  }

  #media(name: string): vscode.Uri {
    return vscode.Uri.joinPath(this.#extension, 'media', name);
  }
}

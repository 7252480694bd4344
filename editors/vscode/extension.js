"use strict";

const fs = require("fs");
const path = require("path");
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

const PATTERN = "**/*.{yaml,yml,csv,jsonl,json,sqlite}";
let client;

/** The interpreter that has planspec: the setting, that of the Python extension, the folder's own, or `python3`. */
async function interpreter() {
  const chosen = vscode.workspace.getConfiguration("planspec").get("interpreter");
  if (chosen) {
    return chosen.replace(/^\$\{workspaceFolder\}/, folder() ?? "");
  }
  const python = vscode.extensions.getExtension("ms-python.python");
  if (python) {
    try {
      const api = python.isActive ? python.exports : await python.activate();
      const active = api.environments?.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
      const found = active && (await api.environments.resolveEnvironment(active));
      const executable = found?.executable?.uri?.fsPath;
      if (executable) {
        return executable;
      }
    } catch (error) {
      console.warn("planspec: the Python extension names no interpreter", error);
    }
  }
  const own = folder() && path.join(folder(), ".venv", "bin", "python");
  return own && fs.existsSync(own) ? own : "python3";
}

function folder() {
  return vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
}

async function start() {
  const settings = vscode.workspace.getConfiguration("planspec");
  const command = await interpreter();
  const run = { command, args: ["-m", "planspec", "server"], transport: TransportKind.stdio, options: { cwd: folder() } };
  const watcher = vscode.workspace.createFileSystemWatcher(PATTERN);
  client = new LanguageClient(
    "planspec",
    "planspec",
    { run, debug: run },
    {
      documentSelector: [{ language: "planspec" }, { language: "yaml", pattern: "**/*.{yaml,yml}" }],
      initializationOptions: { proofs: settings.get("proofs"), seconds: settings.get("seconds") },
      synchronize: { fileEvents: watcher },
    },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const text = `planspec's server does not start with ${command}: install it there with  pip install 'planspec[lsp,solve]'`;
    const choice = await vscode.window.showErrorMessage(text, "Open settings");
    if (choice) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "planspec.interpreter");
    }
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

/** Let the server do a command's work on the task that is open in front. */
async function workOnActive(command) {
  const document = vscode.window.activeTextEditor?.document;
  if (!client || !document) {
    return;
  }
  const uri = client.code2ProtocolConverter.asUri(document.uri);
  const progress = { location: vscode.ProgressLocation.Window, title: "planspec" };
  await vscode.window.withProgress(progress, () =>
    client.sendRequest("workspace/executeCommand", { command, arguments: [{ uri }] }),
  );
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("planspec.restart", async () => {
      await stop();
      await start();
    }),
    vscode.commands.registerCommand("planspec.tightenHere", () => workOnActive("planspec.tighten")),
    vscode.commands.registerCommand("planspec.repairHere", () => workOnActive("planspec.repairReference")),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("planspec")) {
        await stop();
        await start();
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };

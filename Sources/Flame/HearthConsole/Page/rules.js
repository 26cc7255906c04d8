// The rules of an emulator: in force with what they have come to, edited, tried against a request, and published.

import { get, post } from "./api.js";
import { countList, legend, paintedSource } from "./coverage.js";
import { attempt, toast } from "./dialog.js";
import { emptyState, errorState, labelled, make, replace, segments, selection, waiting } from "./dom.js";
import { go } from "./route.js";
import { RulesEditor } from "./ruleseditor.js";
import { TreeTrialForm } from "./treetrial.js";
import { TrialForm } from "./trial.js";
import { grounds, verdictChip } from "./verdict.js";

const REFRESH_MILLISECONDS = 2_000;
// What was edited and not published, by database, so that another section can be looked at meanwhile.
const drafts = new Map();

/** The whole section. */
export class RulesView {
    constructor(daemon, parameters) {
        this.daemon = daemon;
        this.title = "Rules";
        this.ending = new AbortController();
        this.head = make("div.panel-head");
        this.content = make("div.panel-content", {}, waiting("Loading the rules…"));
        this.problem = make("p.problem", { role: "alert", hidden: true });
        this.result = make("div.stack.tight", { role: "region", "aria-label": "Result of the trial", "aria-live": "polite" });
        this.tryButton = make("button.main", { type: "submit", "data-action": "try" }, "Try");
        this.trialPlace = make("div");
        this.element = make("div.stack", {}, make("h1.unseen", {}, "Rules"), make("section.panel", { "aria-label": "Rules" }, this.head,
            this.content), make("section.panel", { "aria-label": "Trial" }, make("div.panel-head", {}, make("h2", {}, "Try a request"),
            make("span.small.quiet", {}, "Nothing is read or written: the rules above are asked, as they are edited.")),
        make("form.panel-body.stack.tight", { novalidate: true, onsubmit: (event) => this.submit(event) }, this.trialPlace,
            make("div.row", {}, this.tryButton), this.problem, this.result)));
        this.update(parameters);
        daemon.on("overview", () => this.known || this.update(this.parameters), this.ending.signal);
        this.timer = setInterval(() => document.hidden || this.refresh(), REFRESH_MILLISECONDS);
    }

    close() {
        clearInterval(this.timer);
        this.ending.abort();
        this.keep();
    }

    get databases() {
        return this.daemon.databases;
    }

    update(parameters) {
        this.parameters = parameters;
        const database = this.databases.find(({ db }) => db === parameters.db) ?? this.databases[0];
        if (!database) return true;
        if (database.db !== this.db) {
            this.keep();
            // The editor of another database goes: its text would be taken for this database's.
            Object.assign(this, { db: database.db, known: null, editor: null, isEditing: drafts.has(database.db) });
            replace(this.content, waiting("Loading the rules…"));
            this.trial = database.service === "firestore" ? new TrialForm(this.db) : new TreeTrialForm();
            replace(this.result);
            replace(this.trialPlace, this.trial.element);
            this.refresh();
        }
        if (parameters.path) this.trial.fill(parameters);
        if (parameters.line) this.look(Number(parameters.line));
        return true;
    }

    // The rules in force, and what they have come to, as far as either has changed.
    async refresh() {
        const { db } = this;
        if (!db) return;
        try {
            const known = await get("rules", { db });
            const sign = JSON.stringify(known);
            if (db !== this.db || sign === this.sign && this.known) return;
            Object.assign(this, { known, sign });
            this.show();
        } catch (error) {
            if (!this.known) replace(this.content, errorState(error, () => this.refresh()));
        }
    }

    show() {
        if (!this.known) return;  // They are on their way.
        if (this.isEditing) {
            if (!this.content.contains(this.editor?.element)) this.edit();
        } else {
            this.showForce();
        }
        this.showHead();
    }

    showHead() {
        const sign = `${this.isEditing} ${this.db} ${this.databases.length}`;
        if (sign === this.headSign) return;
        this.headSign = sign;
        const names = this.databases.map(({ db }) => db);
        replace(this.head, names.length > 1 ? selection(names, this.db, { "aria-label": "Database", "data-part": "db",
            onchange: (event) => go("rules", { db: event.target.value }) }) : make("h2.break", {}, this.db), make("span.grow"),
        segments("Rules", [["force", "In force"], ["edit", "Edit"]], this.isEditing ? "edit" : "force", (chosen) => this.turn(chosen)),
        this.isEditing && make("button", { type: "button", "data-action": "discard", onclick: () => this.discard() }, "Discard"),
        this.isEditing && make("button.main", { type: "button", "data-action": "publish", onclick: () => this.publish() }, "Publish"));
    }

    showForce() {
        const { source, report, isHeld } = this.known;
        const place = this.content.querySelector(".code")?.scrollTop ?? 0;
        const isOpen = this.content.querySelector("details")?.open ?? false;
        const focus = this.content.contains(document.activeElement) ? document.activeElement.tagName.toLowerCase() : null;
        const counts = countList(source, report);
        counts.open = isOpen;
        replace(this.content, isHeld ? [make("div.panel-body", {}, legend()), paintedSource(source, report), make("div.panel-body", {}, counts)]
            : emptyState("No rules are in force", "Everybody may do everything. Edit rules and publish them, and they hold for this project."));
        const code = this.content.querySelector(".code");
        if (code) code.scrollTop = place;
        if (focus) this.content.querySelector(focus)?.focus();
        if (this.wantedLine) this.look(this.wantedLine);
    }

    // Shows the line that a request or a trial names.
    look(line) {
        this.wantedLine = line;
        const item = this.content.querySelector(`.code [data-line="${line}"]`);
        if (!item) return;
        this.wantedLine = null;
        for (const other of this.content.querySelectorAll(".code .decided")) other.classList.remove("decided");
        item.classList.add("decided");
        item.scrollIntoView({ block: "center" });
    }

    turn(chosen) {
        this.keep();
        this.isEditing = chosen === "edit";
        this.show();
        this.head.querySelector(`input[value="${chosen}"]`)?.focus();
    }

    edit() {
        this.editor = new RulesEditor(drafts.get(this.db) ?? this.known.source);
        replace(this.content, this.editor.element);
    }

    keep() {
        if (!this.isEditing || !this.editor) return;
        if (this.editor.text === this.known?.source) drafts.delete(this.db);
        else drafts.set(this.db, this.editor.text);
    }

    discard() {
        drafts.delete(this.db);
        this.editor = null;
        this.isEditing = false;
        this.show();
        this.head.querySelector('input[value="force"]')?.focus();
    }

    async publish() {
        const { db, editor } = this;
        if (!editor) return;
        const source = editor.text;
        await attempt(this.head.querySelector('[data-action="publish"]'), editor.problem, async () => {
            const { problem } = await post("rules/publish", { db, source });
            if (problem) throw editor.refuse(problem);
            toast("Published: the rules are in force.");
            if (this.editor !== editor) return;
            this.known = null;
            this.discardPublished();
            await this.refresh();
        });
    }

    discardPublished() {
        drafts.delete(this.db);
        this.editor = null;
        this.isEditing = false;
        replace(this.content, waiting("Loading the rules…"));
    }

    submit(event) {
        event.preventDefault();
        if (!this.known) return;
        const isDraft = Boolean(this.isEditing && this.editor);
        const source = isDraft ? this.editor.text : this.known.source;
        attempt(this.tryButton, this.problem, async () => {
            replace(this.result);
            const answer = await post("rules/try", { db: this.db, source, ...this.trial.read() });
            if (answer.problem) throw isDraft ? this.editor.refuse(answer.problem) : new Error(answer.problem.message);
            this.showResult(answer, source, isDraft);
        });
    }

    showResult({ verdict, report }, source, isDraft) {
        const lines = verdict.grounds.map(({ line }) => line);
        const code = paintedSource(source, report, lines);
        replace(this.result, make("div.row", {}, verdictChip(verdict.isAllowed), make("span.quiet.break", {},
            `${verdict.method} ${verdict.path}, by the rules ${isDraft ? "as edited" : "in force"}`)), grounds(verdict),
        make("details", {}, make("summary", {}, "What each expression came to in this trial"), code));
    }
}

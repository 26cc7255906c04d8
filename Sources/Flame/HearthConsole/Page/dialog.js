// Dialogs: one at a time, with the focus inside, closed by Escape; and short notices of what was done.

import { make, newID, replace } from "./dom.js";

/** Shows a dialog and waits for its end.
 *
 * `accept` is called with the form when the person agrees; if it throws, the dialog stays and tells why. Where
 * something would be destroyed, the focus begins on the way back.
 * @returns what `accept` returned, or `undefined` if the person left the dialog.
 */
export function ask({ title, body, confirm = "OK", isDanger = false, accept }) {
    const heading = newID("dialog");
    const problem = make("p.problem", { role: "alert", hidden: true });
    const agree = confirm && make(`button.main${isDanger ? ".danger" : ""}`, { type: "submit", "data-action": "confirm" }, confirm);
    const leave = make("button", { type: "button", "data-action": "leave" }, confirm ? "Back" : "Close");
    const form = make("form", { novalidate: true }, make("div.dialog-head", {}, make("h2", { id: heading }, title)),
        make("div.dialog-body", { tabindex: "-1" }, body, problem), make("div.dialog-foot", {}, leave, agree));
    const dialog = make("dialog", { "aria-labelledby": heading }, form);
    return new Promise((resolve) => {
        let result;
        leave.addEventListener("click", () => dialog.close());
        dialog.addEventListener("close", () => {
            dialog.remove();
            resolve(result);
        });
        form.addEventListener("submit", async (event) => {
            event.preventDefault();
            const isDone = await attempt(agree, problem, async () => {
                result = await accept?.(form) ?? true;
            });
            if (isDone) dialog.close();
        });
        document.body.append(dialog);
        dialog.showModal();
        (dialog.querySelector("[autofocus]") ?? (isDanger ? leave : agree ?? leave)).focus();
    });
}

/** Does something for a button: the button waits, and a failure is told beside it.
 * @returns whether it was done. */
export async function attempt(button, problem, work) {
    if (button.getAttribute("aria-busy") === "true") return false;
    button.setAttribute("aria-busy", "true");
    problem.hidden = true;
    try {
        await work();
        return true;
    } catch (error) {
        replace(problem, error.message);
        problem.hidden = false;
        problem.scrollIntoView({ block: "nearest" });
        return false;
    } finally {
        button.removeAttribute("aria-busy");
    }
}

const TOAST_MILLISECONDS = 6_000;

/** Tells shortly what was done. */
export function toast(text) {
    const element = make("div.toast", {}, text);
    document.getElementById("toasts").append(element);
    setTimeout(() => element.remove(), TOAST_MILLISECONDS);
}

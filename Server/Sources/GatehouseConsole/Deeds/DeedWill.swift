import GatehouseCore
import GatehouseHTML
import GatehouseSecurity
import HTTPTypes
import Hummingbird

// What will happen, and the button that does it. The script asks for this part alone, each time when somebody pauses in typing.
extension Visit {
    func will(of deed: DeedPage) throws -> HTML {
        let marks = try deed.forecast.map { forecast in
            [
                Field("once", "", .hidden, value: once()), Field("seen", "", .hidden, value: forecast.seen),
                Field(
                    "shown", "", .hidden, value: try confirmation(of: deed.kind, deed.sent, seen: forecast.seen)),
            ]
        }
        let part = WillPart(request)
        let problems = part?.problems(of: deed) ?? deed.problems
        return section(.class("will"), Attribute("aria-live", "polite")) {
            h2 { words("deed.what") }
            if let preview = deed.forecast?.preview {
                if let marks { all(marks) }
                if !deed.fields.isEmpty { p(.class("verdict")) { preview.title } }
                said(preview)
                confirm(deed, preview)
            } else if problems.isEmpty {
                p(.class("small")) { words("deed.not-yet") }
            } else {
                p { words("deed.problems") }
                // A whole page lists them above its form.
                if part != nil { links(to: problems, at: deed.fields) }
            }
        }
    }

    /// What stands between what will happen and the button that does it.
    @HTMLBuilder private func confirm(_ deed: DeedPage, _ preview: DeedPreview) -> HTML {
        for field in confirmationFields(deed) {
            if field.name == "password" {
                h2 { words("deed.sign-in") }
                userName(person.name)
            }
            field
        }
        div(.class("buttons")) {
            button(.class(preview.isDangerous ? "danger" : "primary")) { preview.button }
            " "
            a(.class("button"), .href(preview.cancel), Attribute("data-replace", if: true)) { words("deed.cancel") }
        }
    }

    /// The consequences, what players read, and what can be undone.
    @HTMLBuilder private func said(_ preview: DeedPreview) -> HTML {
        ul(.class("consequences")) {
            for consequence in preview.consequences { li { consequence } }
        }
        if !preview.playerReads.isEmpty {
            h2 { words("deed.player-reads") }
            dl(.class("facts")) {
                for read in preview.playerReads {
                    dt { languageName(read.language) }
                    dd { blockquote { Cell(read.text) } }
                }
            }
        }
        if let table = preview.table { table }
        p(.class("undo-note")) { preview.undo }
    }

    /// The word that has to be typed, and a new sign-in, where the change takes them.
    func confirmationFields(_ deed: DeedPage) -> [Field] {
        guard let preview = deed.forecast?.preview else { return [] }
        var fields: [Field] = []
        if let typed = preview.typed {
            fields.append(Field("typed", words("deed.typed", ["text": typed]), isRequired: true, limit: 64))
        }
        if needsSignIn(deed.kind, preview) {
            fields.append(
                Field(
                    "password", words("sign-in.password"), .password, isRequired: true, limit: 512,
                    autocomplete: "current-password"))
            fields.append(.proofCode(words))
        }
        return fields.map { field in
            var field = field
            field.problem = deed.problems[field.name]
            return field
        }
    }

    func needsSignIn(_ kind: DeedKind, _ preview: DeedPreview) -> Bool {
        max(kind.level, preview.level) >= .fresh && !session.isElevated(at: moment)
    }
}

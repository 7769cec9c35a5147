import GatehouseSecurity
import GatehouseWire

@testable import GatehouseCore

/// Fills in the forms of operators' actions, without a server.
enum OperatorForm {
    /// What was typed.
    ///
    /// - Parameter moment: what every time of the form is; nil for none that can be read.
    static func values(_ texts: [String: String], until moment: Moment? = nil) -> InputValues {
        InputValues(texts) { _, _ in
            guard let moment else { throw InputProblems(["": "problem.time.form"]) }
            return moment
        }
    }

    /// The form of an action, as a person sees it.
    static func fields<A: OperatorAction>(
        _ action: A.Type, on target: DeedTarget, _ texts: [String: String] = [:], by caller: Caller
    ) async throws -> [InputField] {
        let view = try await view(of: caller)
        return try await caller.run(ReadForm(of: A(begun: target, values(texts), view), in: view.formLanguages))
    }

    static func view(of caller: Caller) async throws -> OperatorView {
        OperatorView(
            view: try await caller.desk.context(address: caller.address).view, actor: caller.actor,
            formLanguages: ["en", "ko"])
    }

    /// The fields at which something is wrong.
    static func problems(_ body: () async throws -> Void) async -> Set<String> {
        do { try await body() } catch let error as InputProblems { return Set(error.phrases.keys) } catch {}
        return []
    }

    /// Why an action can't be done, whatever is chosen; nil if it can.
    static func impossible(_ body: () async throws -> Void) async -> ImpossibleAction? {
        do { try await body() } catch { return error as? ImpossibleAction }
        return nil
    }

    /// Does what a person has confirmed.
    ///
    /// - Returns: the id of the record, by which the address of an undo names it.
    static func record<A: OperatorAction>(
        _ action: A, on target: DeedTarget, by person: Operator, at desk: Desk
    ) async throws -> String? {
        let deed = Deed(
            action: A.about.name, target: target, person: person.id, ticket: nil, once: A.about.name, seen: nil)
        _ = try await desk.operator(person, as: A.about.role, deed: deed).run(action)
        return try await desk.operator(person, as: .viewer).run(FindDeed(once: deed.once, person: person.id))?.id
    }
}

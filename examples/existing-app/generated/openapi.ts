// Generated from openapi.yaml by fastify-contract. Do not edit.

export type $Binary<T> = { readonly $binary: T };
export interface paths {
    "/pets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the pets */
        get: operations["listPets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pets/{petId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a pet */
        get: operations["getPet"];
        put?: never;
        post?: never;
        /** Delete a pet */
        delete: operations["deletePet"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pets/{petId}/photo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Replace the photo of a pet */
        put: operations["putPhoto"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Failure: {
            message: string;
            statusCode: number;
        };
        Pet: {
            /** Format: int64 */
            id: bigint;
            name: string;
        };
    };
    responses: {
        /** @description A failure. */
        Failure: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listPets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    getPet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                petId: bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pet. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            404: components["responses"]["Failure"];
            default: components["responses"]["Failure"];
        };
    };
    deletePet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                petId: bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pet is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Failure"];
        };
    };
    putPhoto: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                petId: bigint;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    photo: $Binary<string>;
                };
            };
        };
        responses: {
            /** @description The size of the photo, in bytes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        bytes: number;
                    };
                };
            };
            default: components["responses"]["Failure"];
        };
    };
}
/** The credentials of each security scheme, and whether an operation asks for scopes. */
export interface schemes {
    "session": { credentials: string; scopes: false };
}
/** The alternatives of the security of each operation. */
export interface security {
    "deletePet": ["session"];
    "getPet": ["session"];
    "listPets": ["session"];
    "putPhoto": ["session"];
}
